import unittest
from uuid import UUID

from parafa import AuthenticationClient, NotAuthenticated, ProblemError
from parafa.api.authentication.api.providers import read_assertion_keys
from parafa.api.authentication.models import (
    AuthenticationMethod,
    AuthenticationStatus,
    CreateAuthenticationRequest,
)

from . import demo
from .reading import same


class Authentication(unittest.TestCase):
    def setUp(self):
        self.world = demo()
        auth = self.world["auth"]
        self.came = []
        self.client = AuthenticationClient(
            self.world["baseUrl"],
            auth["keyId"],
            auth["keySecret"],
            event_hooks={"response": [self.came.append]},
        )
        self.addCleanup(self.client.close)

    def request(self, method, **members):
        audience = self.world["auth"]["audience"]
        return CreateAuthenticationRequest(audience=audience, method=method, **members)

    def smart_id(self, outcome):
        """A request to somebody with Smart-ID, and who that is."""
        person = next(
            person
            for person in self.world["world"]["personas"]
            if person["country"] == "LT"
            and person["outcome"] == outcome
            and "smart_id" in person["methods"]
        )
        code = person["personalCode"]
        return self.request(AuthenticationMethod.SMART_ID, personal_code=code), f"PNOLT-{code}"

    def test_a_person_is_waited_for_and_read(self):
        request, identifier = self.smart_id("signs")
        started = self.client.start(request)
        self.assertRegex(started.verification_code, "^[0-9]{4}$")

        ended = self.client.wait(started.request_id, timeout=60)

        self.assertEqual(ended.cert.subject.serial_number, identifier)
        self.assertEqual(ended.assertion.count("."), 2)

    def test_whoever_refuses_is_not_authenticated(self):
        request, _ = self.smart_id("user_refused")
        started = self.client.start(request)

        with self.assertRaises(NotAuthenticated) as refused:
            self.client.wait(started.request_id, timeout=60)

        self.assertEqual(refused.exception.ended.error.code, "user_refused")

    def test_a_request_is_made_read_and_called_off(self):
        request = self.request(AuthenticationMethod.PHYSICAL)
        created = self.client.start(request)
        self.assertTrue(same(created.to_dict(), self.came[-1].json()), created)
        self.assertTrue(created.client_token)
        with self.assertRaises(TimeoutError):
            self.client.wait(created.request_id, timeout=0)
        read = self.client.read(created.request_id)
        self.assertEqual(read.status, AuthenticationStatus.PENDING)

        self.client.cancel(created.request_id)

        with self.assertRaises(NotAuthenticated):
            self.client.wait(created.request_id, timeout=60)
        with self.assertRaises(ProblemError) as refused:
            self.client.cancel(created.request_id)
        self.assertEqual(refused.exception.name, "terminal_request")
        with self.assertRaises(ProblemError) as refused:
            self.client.read(UUID(int=0))
        self.assertEqual((refused.exception.name, refused.exception.status), ("not_found", 404))

    def test_the_keys_of_assertions_are_read(self):
        keys = self.client.call(read_assertion_keys).keys
        self.assertEqual({key.alg for key in keys}, {"ES256"})
