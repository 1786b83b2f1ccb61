"""E-mail messages with attachments.

Written line by line: the standard library's generator folds headers differently from version to version.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

TYPES = {
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pdf": "application/pdf",
    ".txt": "text/plain",
}


@dataclass(frozen=True, slots=True)
class Message:
    """One e-mail; addresses as `Name <box@host>`, the date as RFC 5322 writes it."""

    sender: str
    to: str
    subject: str
    date: str
    body: str
    answers: str = ""
    """Message-ID of the message that this replies to."""

    @property
    def id(self) -> str:
        """The Message-ID, with its angle brackets."""
        named = "\n".join((self.sender, self.to, self.subject, self.date))
        return f"<{hashlib.sha256(named.encode()).hexdigest()[:24]}@mail.example>"

    @property
    def heading(self) -> str:
        """The header as a reply quotes it."""
        return f"From: {self.sender}\nTo: {self.to}\nSubject: {self.subject}\nDate: {self.date}"


def _text_part(body: str) -> list[str]:
    encoded = binascii.b2a_qp(body.encode(), istext=True).decode("ascii")
    return [
        'Content-Type: text/plain; charset="utf-8"',
        "Content-Transfer-Encoding: quoted-printable",
        "",
        *encoded.split("\n"),
    ]


def _attachment(name: str, content: bytes) -> list[str]:
    media = TYPES[name[name.rindex(".") :]]
    return [
        f'Content-Type: {media}; name="{name}"',
        f'Content-Disposition: attachment; filename="{name}"',
        "Content-Transfer-Encoding: base64",
        "",
        *base64.encodebytes(content).decode("ascii").splitlines(),
    ]


def eml(message: Message, attachments: dict[str, bytes]) -> bytes:
    """The message as a file; attachment names are plain ASCII."""
    lines = message.heading.split("\n")
    lines.append(f"Message-ID: {message.id}")
    if message.answers:
        lines += [f"In-Reply-To: {message.answers}", f"References: {message.answers}"]
    lines.append("MIME-Version: 1.0")
    if not attachments:
        lines += _text_part(message.body)
    else:
        boundary = f"=_{hashlib.sha256(message.id.encode()).hexdigest()[:32]}"
        lines += [f'Content-Type: multipart/mixed; boundary="{boundary}"', ""]
        for part in (
            _text_part(message.body),
            *(_attachment(name, content) for name, content in attachments.items()),
        ):
            lines += [f"--{boundary}", *part, ""]
        lines.append(f"--{boundary}--")
    return ("\r\n".join(lines) + "\r\n").encode("ascii")
