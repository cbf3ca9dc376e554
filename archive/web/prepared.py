"""A template loader that renders constant tags once per language, when a template is loaded.

Constant are literal texts, addresses and files: `{% translate "Games" %}`, `{% url "games" %}`, `{% static
"archive/icon.svg" %}`. A page has up to two hundred of them, which would cost milliseconds each time. Tags
that depend on a variable are left unchanged.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, Final, TypeVar
from weakref import WeakSet

from django.template import Context, Origin, Template
from django.template.base import FilterExpression, Node, NodeList, TextNode, TokenType, Variable
from django.template.defaulttags import IfNode, URLNode
from django.template.library import SimpleNode
from django.template.loaders import cached
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.templatetags.static import StaticNode
from django.urls import NoReverseMatch, get_script_prefix
from django.utils.translation import get_language, gettext

from kifu_core.games import GAMES

_OURS: Final = ("archive/", *(f"{kind}/" for kind in GAMES))
_PREPARED: Final[WeakSet[Template]] = WeakSet()
_CONSTANT: Final[set[Callable[..., object]]] = set()
_Tag = TypeVar("_Tag", bound=Callable[..., object])


def constant(tag: _Tag) -> _Tag:
    """Declare that a template tag without arguments renders the same on every page of a language."""
    _CONSTANT.add(tag)
    return tag


class Loader(cached.Loader):
    """Django's cached loader with a cache per language, which prepares the archive's own templates."""

    def cache_key(self, template_name: str, skip: list[Origin] | None = None) -> str:
        return f"{get_language()} {get_script_prefix()} {super().cache_key(template_name, skip)}"

    def get_template(self, template_name: str, skip: list[Origin] | None = None) -> Template:
        template = super().get_template(template_name, skip)
        if template not in _PREPARED and template_name.startswith(_OURS):
            prepare(template.nodelist)
            _PREPARED.add(template)
        return template


def prepare(nodes: NodeList) -> None:
    """Replace constant nodes by their text in the active language, recursively."""
    for inner in [inner for node in nodes for inner in _within(node)]:
        prepare(inner)
    nodes[:] = _joined(_constant(node) for node in nodes)


def _within(node: Node) -> Iterator[NodeList]:
    if isinstance(node, IfNode):
        yield from (inner for _condition, inner in node.conditions_nodelists)
        return
    for name in node.child_nodelists:
        inner = getattr(node, name, None)
        if isinstance(inner, NodeList):
            yield inner


def _constant(node: Node) -> Node:
    """Return the text of a constant node; other nodes unchanged."""
    if not _is_constant(node):
        return node
    if isinstance(node, BlockTranslateNode):
        return TextNode(gettext(node.render_token_list(node.singular)[0]) % {})
    try:
        return TextNode(str(node.render(Context())))
    except NoReverseMatch:  # raised when the node is rendered, if ever
        return node


def _is_constant(node: Node) -> bool:
    if isinstance(node, TranslateNode):
        return node.asvar is None and node.message_context is None and _is_literal(node.filter_expression)
    if isinstance(node, URLNode):
        return node.asvar is None and not node.kwargs and all(map(_is_literal, [node.view_name, *node.args]))
    if isinstance(node, BlockTranslateNode):
        varies = node.extra_context or node.countervar or node.asvar or node.message_context
        return not varies and all(token.token_type == TokenType.TEXT for token in node.singular)
    if isinstance(node, SimpleNode):
        return node.func in _CONSTANT and node.target_var is None and not node.args and not node.kwargs
    return isinstance(node, StaticNode) and node.varname is None and _is_literal(node.path)


def _is_literal(expression: FilterExpression) -> bool:
    """Return whether an expression is a literal without filters."""
    value: Any = expression.var
    return not expression.filters and (
        isinstance(value, str) or (isinstance(value, Variable) and isinstance(value.literal, str))
    )


def _joined(nodes: Iterator[Node]) -> Iterator[Node]:
    """Yield the nodes with adjacent texts joined."""
    for is_text, group in groupby(nodes, lambda node: isinstance(node, TextNode)):
        if is_text:
            yield TextNode("".join(node.s for node in group if isinstance(node, TextNode)))
        else:
            yield from group
