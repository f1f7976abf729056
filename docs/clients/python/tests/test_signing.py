import hashlib
import unittest
from uuid import UUID, uuid4

from parafa import ProblemError, SigningClient, document
from parafa.api.signing.api.signings import simulate_outcome
from parafa.api.signing.models import (
    CreateSigningRequest,
    SignerRequest,
    SigningStatus,
    SimulatedOutcome,
    SimulateRequest,
)

from . import demo


class Signing(unittest.TestCase):
    """With a key of the sandbox, where outcomes are simulated."""

    def setUp(self):
        world = demo()
        self.client = SigningClient(world["baseUrl"], world["signing"]["test"])
        self.addCleanup(self.client.close)

    def create(self, key=None):
        request = CreateSigningRequest(
            title="Paslaugų sutartis",
            document=document("contract.pdf"),
            signers=[SignerRequest(email="ona@example.lt")],
        )
        return self.client.create(request, key)

    def simulate(self, signing, action):
        body = SimulateRequest(action=action)
        return self.client.call(simulate_outcome, signing.signing_id, body=body)

    def test_a_signing_is_created_waited_for_and_downloaded(self):
        created = self.create()
        self.assertEqual(created.status, SigningStatus.PENDING)
        with self.assertRaises(TimeoutError):
            self.client.wait(created.signing_id, timeout=0)

        self.simulate(created, SimulatedOutcome.COMPLETE)
        ended = self.client.wait(created.signing_id, timeout=30)

        self.assertEqual(ended.status, SigningStatus.COMPLETED)
        signed = self.client.download(created.signing_id)
        self.assertEqual(hashlib.sha256(signed).hexdigest(), ended.document.sha256)
        self.assertEqual(len(signed), ended.document.bytes_)

    def test_a_signing_that_comes_to_nothing_is_over_too(self):
        created = self.create()
        self.simulate(created, SimulatedOutcome.DECLINE)

        ended = self.client.wait(created.signing_id, timeout=30)

        self.assertEqual(ended.status, SigningStatus.DECLINED)

    def test_a_key_of_the_callers_creates_once(self):
        key = str(uuid4())

        first, second = self.create(key), self.create(key)

        self.assertEqual(first.signing_id, second.signing_id)
        self.assertNotEqual(first.signing_id, self.create().signing_id)

    def test_refusals_are_exceptions(self):
        with self.assertRaises(ProblemError) as refused:
            self.client.read(UUID(int=0))
        self.assertEqual((refused.exception.name, refused.exception.status), ("not-found", 404))

        with self.assertRaises(ProblemError) as refused:
            self.client.create(CreateSigningRequest(title="", signers=[]))
        self.assertEqual(refused.exception.name, "validation-failed")
        self.assertIn("/signers", [fault.pointer for fault in refused.exception.errors])
