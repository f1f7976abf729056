"""What the clients of all three APIs share: calls, repetitions, waiting, downloads."""

from __future__ import annotations

import hashlib
import inspect
import random
import time
import uuid
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeVar

import httpx

from .problems import ProblemError

T = TypeVar("T")


class DigestMismatch(Exception):
    """What came is not what the service said that it sends."""


class Client(httpx.Client):
    """Calls the operations of one API: modules of the generated layer, such as
    `parafa.api.signing.api.signings.cancel_signing`.

    Raises refusals as `ProblemError`, and makes requests again where that is safe and can help. 503
    and 429 are waited out for as long as Retry-After says, and so is 409 where an earlier request
    with the same Idempotency-Key is still running. A connection that breaks is tried again where a
    repetition does nothing twice. After `retry_for` seconds, or where Retry-After is longer than
    what is left of them, the refusal is raised.
    """

    def __init__(
        self,
        generated: ModuleType,
        base_url: str,
        authorization: str,
        *,
        retry_for: float = 60.0,
        timeout: float = 90.0,
        clock: Any = time,
        **options: Any,
    ) -> None:
        """`timeout` is for how many seconds nothing may come; `clock` has `monotonic` and `sleep`.
        `options` are those of `httpx.Client`, such as `proxy` and `verify`."""
        super().__init__(
            base_url=base_url,
            headers={"Authorization": authorization},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0)),
            **options,
        )
        self._generated = generated.Client(base_url=base_url, raise_on_unexpected_status=True)
        self._retry_for = retry_for
        self._clock = clock

    def call(self, operation: ModuleType, *arguments: Any, **members: Any) -> Any:
        """What an operation answers, as the model that its description names."""
        response = self.raw(operation, *arguments, **members)
        return operation._parse_response(client=self._generated, response=response)

    def raw(self, operation: ModuleType, *arguments: Any, **members: Any) -> httpx.Response:
        """The answer as it came, such as one that is no JSON."""
        if "idempotency_key" in inspect.signature(operation._get_kwargs).parameters:
            members.setdefault("idempotency_key", str(uuid.uuid4()))
        return self.request(**operation._get_kwargs(*arguments, **members))

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        give_up = self._clock.monotonic() + self._retry_for
        pause = 0.5
        while True:
            refusal: Exception
            try:
                response = super().send(request, **options)
                if response.status_code < 400:
                    return response
                response.read()
                refusal = ProblemError(response)
                wait = _wait(refusal, request)
            except (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError) as lost:
                refusal, wait = lost, 0.0 if _is_repeatable(request) else None
            if wait is None:
                raise refusal
            wait = max(wait, pause * random.uniform(0.5, 1.0))
            if self._clock.monotonic() + wait > give_up:
                raise refusal
            self._clock.sleep(wait)
            pause = min(2 * pause, 8.0)

    def _document(self, operation: ModuleType, *arguments: Any) -> bytes:
        """What an operation sends, held against the digest that the service tells of it."""
        response = self.raw(operation, *arguments)
        digest = hashlib.sha256(response.content).hexdigest()
        if response.headers.get("X-Service-Document-Sha256") != digest:
            raise DigestMismatch(f"{response.url} has another digest than was told")
        return response.content

    def _poll(
        self,
        read: Callable[[float], T],
        is_over: Callable[[T], bool],
        timeout: float,
        pause: float = 0.25,
    ) -> T:
        """Reads until something is over, ever more seldom. `read` is told for how long it may
        wait; where it waits at the service no `pause` is needed."""
        give_up = self._clock.monotonic() + timeout
        while True:
            left = max(0.0, give_up - self._clock.monotonic())
            now = read(left)
            if is_over(now):
                return now
            if left == 0.0:
                raise TimeoutError(f"it was not over in {timeout:g} s")
            self._clock.sleep(min(pause, left))
            pause = min(pause * 1.5, 15.0)


def _wait(refusal: ProblemError, request: httpx.Request) -> float | None:
    """After how many seconds a refused request may be made again; none where that does not help.

    A 503 without Retry-After is not this service's, so that the request may have been carried out.
    """
    if refusal.status == 503 and refusal.retry_after is None and _is_repeatable(request):
        return 0.0
    is_running = refusal.status == 409 and "Idempotency-Key" in request.headers
    return refusal.retry_after if is_running or refusal.status in (429, 503) else None


def _is_repeatable(request: httpx.Request) -> bool:
    return request.method == "GET" or "Idempotency-Key" in request.headers
