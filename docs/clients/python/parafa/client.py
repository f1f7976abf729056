"""What the clients of all three APIs share: calls, repetitions, waiting, downloads."""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import random
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, Self, TypeVar

import httpx

from .problems import ProblemError

T = TypeVar("T")

LONGEST_PAUSE = 15.0
"""Seconds between two looks at something that is waited for, at most."""


class Clock(Protocol):
    """What passes time; the module `time` is one."""

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float, /) -> None: ...


class DigestMismatch(Exception):
    """What came is not what the service said that it sends."""


class Connection(httpx.Client):
    """Raises refusals as `ProblemError`, and makes requests again where that is safe and can help.

    503 and 429 are waited out for as long as Retry-After says, and so is 409 where an earlier
    request with the same Idempotency-Key is still running. A connection that breaks is tried again
    where nothing was sent, or where a repetition does nothing twice. After `retry_for` seconds,
    or where Retry-After is longer than what is left of them, the refusal is raised.
    """

    def __init__(self, retry_for: float, clock: Clock, **options: Any) -> None:
        super().__init__(**options)
        self._retry_for = retry_for
        self._clock = clock

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        give_up = self._clock.monotonic() + self._retry_for
        attempt = 0
        while True:
            pause: float | None = min(0.5 * 2**attempt, 8.0) * random.uniform(0.5, 1.0)
            refusal: Exception
            try:
                response = super().send(request, **options)
                if response.status_code < 400:
                    return response
                response.read()
                refusal = ProblemError(response)
                pause = _pause(refusal, request, pause)
            except httpx.TransportError as lost:
                refusal = lost
                if not (_is_repeatable(request) or _is_unsent(lost)):
                    pause = None
            if pause is None or self._clock.monotonic() + pause > give_up:
                raise refusal
            self._clock.sleep(pause)
            attempt += 1


def _pause(refusal: ProblemError, request: httpx.Request, default: float) -> float | None:
    """How long to wait before a refused request is made again; none where that does not help."""
    if refusal.status == 503 and refusal.retry_after is None:
        return default
    if refusal.status in (429, 503) or refusal.status == 409 and "Idempotency-Key" in request.headers:
        return refusal.retry_after
    return None


def _is_repeatable(request: httpx.Request) -> bool:
    return request.method in ("GET", "HEAD") or "Idempotency-Key" in request.headers


def _is_unsent(lost: httpx.TransportError) -> bool:
    return isinstance(lost, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))


class Client:
    """Calls the operations of one API.

    An operation is a module of the generated layer, such as
    `parafa.api.signing.api.signings.cancel_signing`.
    """

    def __init__(
        self,
        generated: ModuleType,
        base_url: str,
        authorization: str,
        *,
        retry_for: float = 60.0,
        timeout: float = 90.0,
        clock: Clock = time,
        **options: Any,
    ) -> None:
        """`options` are those of `httpx.Client`, such as `proxy` and `verify`."""
        self.clock = clock
        self.connection = Connection(
            retry_for,
            clock,
            base_url=base_url,
            headers={"Authorization": authorization},
            timeout=timeout,
            **options,
        )
        self._generated = generated.Client(base_url=base_url, raise_on_unexpected_status=True)
        self._generated.set_httpx_client(self.connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()

    def call(self, operation: ModuleType, *arguments: Any, **members: Any) -> Any:
        """What an operation answers, as the model that its description names."""
        return self.detailed(operation, *arguments, **members).parsed

    def detailed(self, operation: ModuleType, *arguments: Any, **members: Any) -> Any:
        """The same with the status, the header fields and the content."""
        members = _with_key(operation, members)
        return operation.sync_detailed(*arguments, client=self._generated, **members)

    def raw(self, operation: ModuleType, *arguments: Any, **members: Any) -> httpx.Response:
        """The answer as it came, where its content type is another one than JSON."""
        members = _with_key(operation, members)
        return self.connection.request(**operation._get_kwargs(*arguments, **members))

    def save(self, operation: ModuleType, *arguments: Any, target: str | os.PathLike[str]) -> str:
        """Writes a document to a file, which is there once all of it is, and as the service
        sent it; its SHA-256 in hexadecimal digits."""
        request = operation._get_kwargs(*arguments)
        part = Path(f"{os.fspath(target)}.part")
        digest = hashlib.sha256()
        try:
            with self.connection.stream(**request) as response, part.open("wb") as file:
                for piece in response.iter_bytes():
                    file.write(piece)
                    digest.update(piece)
            if response.headers.get("X-Service-Document-Sha256") != digest.hexdigest():
                raise DigestMismatch(f"{request['url']} has another digest than was told")
            part.replace(target)
        finally:
            with contextlib.suppress(FileNotFoundError):
                part.unlink()
        return digest.hexdigest()

    def _poll(self, read: Callable[[], T], is_over: Callable[[T], bool], timeout: float) -> T:
        """Reads until something is over, ever more seldom."""
        give_up = self.clock.monotonic() + timeout
        pause = 0.25
        while not is_over(now := read()):
            left = give_up - self.clock.monotonic()
            if left <= 0:
                raise TimeoutError(f"it was not over in {timeout:g} s")
            self.clock.sleep(min(pause, left))
            pause = min(pause * 1.5, LONGEST_PAUSE)
        return now


def _with_key(operation: ModuleType, members: dict[str, Any]) -> dict[str, Any]:
    """Members with an Idempotency-Key where the operation takes one and the caller gave none."""
    if "idempotency_key" in inspect.signature(operation._get_kwargs).parameters:
        return {"idempotency_key": str(uuid.uuid4()), **members}
    return members
