"""An authenticator of software: it keeps passkeys and signs with them, also what no honest one would."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

FLAG = AuthenticatorData.FLAG
HERE = "http://localhost"


def _flags(verified: bool) -> AuthenticatorData.FLAG:
    return FLAG.UP | FLAG.UV if verified else FLAG.UP


@dataclass
class Passkey:
    """One of them: for whom, and its key."""

    party: str
    handle: str
    pk: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    @property
    def name(self) -> str:
        return websafe_encode(self.pk)

    def made(self, challenge: str, origin: str = HERE, verified: bool = True, **other: Any) -> str:
        """The response of a browser to making it, with attestation `none`."""
        public = ES256.from_cryptography_key(self.key.public_key())
        shown = AttestedCredentialData.create(Aaguid.NONE, self.pk, other.get("public") or public)
        data = AuthenticatorData.create(
            _party_hash(other.get("party", self.party)), _flags(verified) | FLAG.AT, 0, shown
        )
        client_data = CollectedClientData.create(other.get("type", "webauthn.create"), challenge, origin)
        statement = AttestationObject.create("none", data, {})
        return self._sent({"clientDataJSON": client_data.b64, "attestationObject": websafe_encode(statement)})

    def used(self, challenge: str, origin: str = HERE, verified: bool = True, **other: Any) -> str:
        """The response of a browser to using it."""
        data = AuthenticatorData.create(_party_hash(other.get("party", self.party)), _flags(verified), 1)
        client_data = CollectedClientData.create(other.get("type", "webauthn.get"), challenge, origin)
        signature = self.key.sign(data + client_data.hash, ec.ECDSA(hashes.SHA256()))
        response = {
            "clientDataJSON": client_data.b64,
            "authenticatorData": websafe_encode(data),
            "signature": websafe_encode(other.get("signature", signature)),
            "userHandle": other.get("handle", self.handle),
        }
        return self._sent(response)

    def _sent(self, response: dict[str, str]) -> str:
        sent = {"id": self.name, "rawId": self.name, "type": "public-key", "response": response}
        return json.dumps(sent | {"clientExtensionResults": {"credProps": {"rk": True}}})


def _party_hash(party: str) -> bytes:
    return hashlib.sha256(party.encode()).digest()
