import hashlib
import unittest
from uuid import UUID

import httpx

from parafa import DigestMismatch, ProblemError, SigningClient, digest_for_card
from parafa.api.signing.api.comments import add_comment
from parafa.api.signing.api.signings import cancel_signing
from parafa.api.signing.models import CommentRequest, EmptyRequest

from . import VECTORS, FakeClock

SIGNING = UUID("0190b5a8-7c3e-7d7b-8f6e-2a1b3c4d5e6f")
COMMENT = {
    "commentId": str(SIGNING),
    "author": "client",
    "authorLabel": None,
    "body": "Checked.",
    "createdAt": "2026-09-21T14:13:20.000Z",
}


def refusal(status, name="unavailable", **headers):
    body = {"type": f"https://sign.example/problems/{name}", "title": "No", "status": status}
    return httpx.Response(status, json=body | {"detail": "Not now."}, headers=headers)


class Service:
    """Answers one request after another with what was planned."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.clock = FakeClock()

    def client(self):
        transport = httpx.MockTransport(self.answer)
        return SigningClient("https://sign.example", "key", clock=self.clock, transport=transport)

    def answer(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def comments(self):
        return self.client().call(add_comment, SIGNING, body=CommentRequest(body="Checked."))

    def cancels(self):
        return self.client().call(cancel_signing, SIGNING, body=EmptyRequest())


class Repetitions(unittest.TestCase):
    def test_a_creation_keeps_its_key_over_repetitions_and_another_has_another(self):
        created = httpx.Response(201, json=COMMENT)
        retry = {"Retry-After": "7"}
        service = Service(
            refusal(429, "rate-limited", **retry),
            httpx.ReadError("lost"),
            refusal(409, "idempotency-in-progress", **{"Retry-After": "2"}),
            refusal(503),
            created,
            created,
        )

        self.assertEqual(service.comments().body, "Checked.")
        service.comments()

        keys = [request.headers["Idempotency-Key"] for request in service.requests]
        self.assertEqual(len(set(keys[:5])), 1)
        self.assertNotEqual(keys[4], keys[5])
        self.assertEqual([service.clock.pauses[0], service.clock.pauses[2]], [7, 2])

    def test_a_wait_longer_than_the_callers_patience_is_a_refusal_at_once(self):
        service = Service(refusal(429, "reminder-too-soon", **{"Retry-After": "3000"}))

        with self.assertRaises(ProblemError) as refused:
            service.cancels()

        self.assertEqual(refused.exception.retry_after, 3000)
        self.assertEqual(service.clock.pauses, [])

    def test_nothing_is_asked_for_ever(self):
        service = Service(*[refusal(503)] * 100)

        with self.assertRaises(ProblemError):
            service.comments()

        self.assertLess(service.clock.now, 61)

    def test_what_would_be_done_twice_is_not_repeated_when_its_answer_is_lost(self):
        service = Service(httpx.ReadError("lost"))

        with self.assertRaises(httpx.ReadError):
            service.cancels()

    def test_a_503_that_the_service_did_not_write_is_no_reason_to_do_twice_what_has_no_key(self):
        unavailable, created = httpx.Response(503), httpx.Response(201, json=COMMENT)
        service = Service(unavailable, unavailable, created)

        with self.assertRaises(ProblemError):
            service.cancels()
        self.assertEqual(service.comments().body, "Checked.")
        self.assertEqual(len(service.requests), 3)

    def test_an_address_that_is_none_is_told_at_once(self):
        clock = FakeClock()
        with self.assertRaises(httpx.UnsupportedProtocol):
            SigningClient("sign.example", "key", clock=clock).read(SIGNING)
        self.assertEqual(clock.pauses, [])


class Refusals(unittest.TestCase):
    def test_a_problem_is_told_with_all_faults(self):
        body = {
            "type": "https://sign.example/problems/validation-failed",
            "title": "Invalid",
            "status": 400,
            "detail": "The request is not valid.",
            "errors": [{"pointer": "/body", "detail": "is missing", "more": 1}],
        }
        service = Service(httpx.Response(400, json=body, headers={"X-Request-Id": "one"}))

        with self.assertRaises(ProblemError) as refused:
            service.comments()

        problem = refused.exception
        self.assertEqual((problem.name, problem.status), ("validation-failed", 400))
        self.assertEqual((problem.type, problem.title), (body["type"], "Invalid"))
        self.assertEqual(problem.errors[0].pointer, "/body")
        self.assertEqual(problem.request_id, "one")
        self.assertIn("/body: is missing", str(problem))

    def test_what_something_on_the_way_says_is_a_problem_too(self):
        for body in ["<h1>Bad Gateway</h1>", "[]", '{"errors": "none", "error": "none"}']:
            service = Service(httpx.Response(502, text=body))

            with self.subTest(body=body), self.assertRaises(ProblemError) as refused:
                service.comments()

            self.assertEqual(refused.exception.name, "Bad Gateway")

    def test_nothing_that_is_printed_or_raised_holds_the_key(self):
        service = Service(refusal(401))
        client = service.client()

        with self.assertRaises(ProblemError) as refused:
            client.read(SIGNING)

        told = f"{client!r} {vars(client)} {refused.exception!r} {vars(refused.exception)}"
        self.assertNotIn("Bearer", told)


class Downloads(unittest.TestCase):
    def test_a_document_with_another_digest_is_none(self):
        told = {"X-Service-Document-Sha256": hashlib.sha256(b"sound").hexdigest()}
        service = Service(
            httpx.Response(200, content=b"sound", headers=told),
            httpx.Response(200, content=b"harmed", headers=told),
            httpx.Response(200, content=b"sound"),
        )
        client = service.client()

        self.assertEqual(client.download(SIGNING), b"sound")
        for _ in range(2):
            with self.assertRaises(DigestMismatch):
                client.download(SIGNING)


class Cards(unittest.TestCase):
    def test_a_card_signs_the_published_digest(self):
        vector = VECTORS["card"]
        self.assertEqual(digest_for_card(vector["dtbs"]).hex(), vector["sha256"])
