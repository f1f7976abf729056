"""A caller of the due-diligence API through the client that openapi-python-client makes.

Arguments: the folder of the generated package, the base URL, a sandbox key. Reads every
answer of the synthetic set, and prints how many were data; then has a package
delivered, and prints the SHA-256 of its container.
"""

import hashlib
import json
import sys
import time

from generated import Package, same

CODES = """
999000009 999000017 999000024 999000031 999000049 999000056 999000063 999000070 999000088
999000095 999000106 999000113 999000120 999000138 999000145 999000152 999000177 999000184
999000191
""".split()
PROPERTIES = ["4400-9990-0001", "4400-9990-0002", "4400-9990-0003", "4400-9991-0001"]

package = Package(*sys.argv[1:])
models, call = package.models, package.call
purpose = {"purpose": models.Purpose.AML_KYC}
interpreted = {"interpret": 1}
questions = [
    ("entities.read_company_profile", CODES, interpreted),
    ("entities.read_participants", CODES, {}),
    ("entities.read_beneficial_owners", CODES, interpreted | purpose),
    ("entities.read_real_estate", CODES, {}),
    ("real_property.read_property_extract", PROPERTIES, {}),
    ("entities.read_seizures", CODES, interpreted),
    ("entities.read_cases", CODES, {}),
    ("entities.read_report", CODES, interpreted | purpose),
]

answers, failures = 0, []
for operation, subjects, options in questions:
    for subject in subjects:
        try:
            answer = call(operation, subject, **options)
        except Exception as error:
            failures.append(f"{operation} {subject}: {error!r}")
            continue
        answers += not isinstance(answer, models.Problem)
        if not same(answer.to_dict(), json.loads(package.content)):
            failures.append(f"{operation} {subject}: read as {answer}"[:400])
assert not failures, "\n".join(failures)

order = call(
    "identification_packages.create_kyc_package",
    body=models.CreateKycPackageRequest(
        entity_code=CODES[0],
        subject_role=models.KycRole.MANAGER,
        purpose=models.Purpose.AML_KYC,
    ),
)
assert isinstance(order, models.KycOrder), order
assert order.status == models.KycStatus.AWAITING_SUBJECT, order.status
simulated = call(
    "identification_packages.simulate_kyc_package",
    order.order_id,
    body=models.SimulateKycPackageRequest(action=models.KycSimulation.COMPLETE),
)
assert isinstance(simulated, models.KycOrder), simulated
deadline = time.monotonic() + 30
while order.status != models.KycStatus.DELIVERED:
    assert time.monotonic() < deadline, order.status
    time.sleep(0.1)
    order = call("identification_packages.read_kyc_package", order.order_id)
container = call("identification_packages.download_kyc_artifact", order.order_id)
digest = hashlib.sha256(container.payload.read()).hexdigest()
assert digest == order.artifact.sha256, digest
print(answers, digest)
