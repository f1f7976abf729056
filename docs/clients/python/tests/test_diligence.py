import hashlib
import json
import unittest
from datetime import UTC, datetime
from pathlib import Path

from parafa import DiligenceClient, ProblemError
from parafa.answers import SignatureError, verify_answer
from parafa.api.diligence.api.entities import (
    read_beneficial_owners,
    read_cases,
    read_company_profile,
    read_participants,
    read_real_estate,
    read_report,
    read_seizures,
)
from parafa.api.diligence.api.identification_packages import simulate_kyc_package
from parafa.api.diligence.api.real_property import read_property_extract
from parafa.api.diligence.models import (
    CreateKycPackageRequest,
    KycRole,
    KycSimulation,
    KycStatus,
    Purpose,
    SignatureTier,
    SimulateKycPackageRequest,
)

from . import demo
from .reading import same

CODES = """
999000009 999000017 999000024 999000031 999000049 999000056 999000063 999000070 999000088
999000095 999000106 999000113 999000120 999000138 999000145 999000152 999000177 999000184
999000191
""".split()
PROPERTIES = ["4400-9990-0001", "4400-9990-0002", "4400-9990-0003", "4400-9991-0001"]
PURPOSE = {"purpose": Purpose.AML_KYC}
INTERPRETED = {"interpret": 1}
QUESTIONS = [
    (read_company_profile, CODES, INTERPRETED),
    (read_participants, CODES, {}),
    (read_beneficial_owners, CODES, INTERPRETED | PURPOSE),
    (read_real_estate, CODES, {}),
    (read_property_extract, PROPERTIES, {}),
    (read_seizures, CODES, INTERPRETED),
    (read_cases, CODES, {}),
    (read_report, CODES, INTERPRETED | PURPOSE),
]
ATTORNEY = "PNOLT-37506150439"


class Diligence(unittest.TestCase):
    def setUp(self):
        self.world = demo()

    def client(self, mode="test", **options):
        key = self.world["diligence"][mode]
        client = DiligenceClient(self.world["baseUrl"], key, **options)
        self.addCleanup(client.close)
        return client

    def test_every_answer_of_the_synthetic_set_is_read(self):
        came, answers = [], 0
        client = self.client(event_hooks={"response": [came.append]})
        for question, subjects, options in QUESTIONS:
            for subject in subjects:
                with self.subTest(question=question.__name__, subject=subject):
                    try:
                        answer = client.call(question, subject, **options)
                    except ProblemError as problem:
                        self.assertIn(problem.name, ["no-data", "upstream-unavailable"])
                        continue
                    answers += 1
                    self.assertTrue(same(answer.to_dict(), came[-1].json()), answer)
        self.assertGreater(answers, 80)

    def test_a_signed_answer_is_the_attorneys_or_nobodys(self):
        client = self.client("live")
        roots = [Path(root).read_bytes() for root in self.world["world"]["roots"]]

        signed = client.ask_signed(
            read_company_profile,
            CODES[0],
            roots=roots,
            signer=ATTORNEY,
            sign=SignatureTier.JADES_T,
        )

        self.assertEqual(signed.answer["entityCode"], CODES[0])
        self.assertIn("attestation", signed.answer)
        jws = json.loads(signed.document)
        forged = json.dumps(jws | {"payload": jws["payload"][:-4] + "AAAA"}).encode()
        for document, changes in [
            (forged, {}),
            (b"{}", {}),
            (signed.document, {"signer": "PNOLT-40504040001"}),
            (signed.document, {"roots": []}),
            (signed.document, {"at": datetime(2000, 1, 1, tzinfo=UTC)}),
        ]:
            with self.subTest(changes=changes), self.assertRaises(SignatureError):
                verify_answer(document, **({"roots": roots, "signer": ATTORNEY} | changes))

    def test_a_package_is_ordered_waited_for_and_downloaded(self):
        client = self.client()
        order = client.order(
            CreateKycPackageRequest(
                entity_code=CODES[0], subject_role=KycRole.MANAGER, purpose=Purpose.AML_KYC
            )
        )
        self.assertEqual(order.status, KycStatus.AWAITING_SUBJECT)

        body = SimulateKycPackageRequest(action=KycSimulation.COMPLETE)
        client.call(simulate_kyc_package, order.order_id, body=body)
        order = client.wait_for_order(order.order_id, timeout=60)

        self.assertEqual(order.status, KycStatus.DELIVERED)
        evidence = client.download_evidence(order.order_id)
        self.assertEqual(hashlib.sha256(evidence).hexdigest(), order.artifact.sha256)
