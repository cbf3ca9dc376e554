"""Libraries: groups of people, and who may share, publish and take back which games.

`archive.queries.scope` decides who reads which games; `archive.store` moves them. Other packages use only the
names listed here.
"""

from archive.libraries.actions import ACTIONS, ActionResult, perform
from archive.libraries.errors import GROUP_NAME_LENGTH, LibraryError
from archive.libraries.groups import (
    MEMBERS,
    admit,
    create_group,
    demote,
    dismiss,
    end_invitations,
    invitation_of,
    invite,
    is_member,
    join,
    leave_all,
    members,
    open_invitations,
    own_groups,
    promote,
    rename,
)
from archive.libraries.publishing import (
    give_back,
    may_give_back,
    may_publish,
    may_take_back,
    move_upload,
    publish,
    take_back,
)
from archive.libraries.sharing import manages, may_share, share_by_link, share_with, unshare
from archive.libraries.spaces import own_library, own_targets, owns, space_names, target_space, upload_targets

__all__ = [
    "ACTIONS", "GROUP_NAME_LENGTH", "MEMBERS", "ActionResult", "LibraryError", "admit", "create_group",
    "demote", "dismiss", "end_invitations", "give_back", "invitation_of", "invite", "is_member", "join",
    "leave_all", "manages", "may_give_back", "may_publish", "may_share", "may_take_back", "members",
    "move_upload", "open_invitations", "own_groups", "own_library", "own_targets", "owns", "perform",
    "promote", "publish", "rename", "share_by_link", "share_with", "space_names", "take_back",
    "target_space", "unshare", "upload_targets",
]  # fmt: skip
