"""Makes Schemathesis' requests meaningful, beyond their schema.

A schema cannot require that a document can be opened, that a stored file exists
or that two emails differ. This module adjusts requests that are valid by the
schema, so that every refusal by the service is a finding. Invalid requests are
sent unchanged.
"""

import base64
import os
import pathlib
import unicodedata
import uuid

import schemathesis

LONGEST_WAIT_MS = 200

# An entity and a property object with data in every register.
KNOWN = {"code": "999000009", "uniqueNumber": "4400-9990-0001"}

DOCUMENT = base64.b64encode(
    pathlib.Path(os.environ["PARAFA_DOCUMENT"]).read_bytes()
).decode()


@schemathesis.hook
def before_call(context, case, kwargs):
    # Long polls are not slow answers.
    wait = str(case.query.get("waitMs", ""))
    if wait.isdigit() and int(wait) <= 30_000:
        case.query["waitMs"] = min(int(wait), LONGEST_WAIT_MS)
    if case.meta is None or case.meta.generation.mode.is_negative:
        return
    for name, value in list(case.query.items()):
        case.query[name] = seen(value)
    # A cursor is an id from the list.
    case.query.pop("startingAfter", None)
    # Codes have check digits, and the registers know few entities.
    for name, known in KNOWN.items():
        if name in case.path_parameters:
            case.path_parameters[name] = known
    # A container is always signed.
    if case.query.get("format") == "asice":
        case.query.pop("sign", None)
    if "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = str(uuid.uuid4())
    if isinstance(case.body, dict):
        case.body = meaningful(seen(case.body))


@schemathesis.hook
def filter_failure(context, failure, case, response):
    # A simulated artifact has no signature to archive.
    if response.status_code == 422 and case.path.endswith("/archive"):
        return False
    # No card can sign here.
    if response.status_code == 422 and case.path.endswith("/complete"):
        return False
    # DELETE erases a signing or an order, but keeps a record without personal
    # data. It cancels an authentication, which remains with its end.
    erased = ("/v1/signings/", "/v1/kyc-packages/")
    remains = case.path.startswith((*erased, "/v1/auth/requests/"))
    return not (remains and type(failure).__name__ == "UseAfterFree")


def seen(value):
    """Replaces by a letter each character beyond the Basic Multilingual Plane that
    counts as invisible or is refused, which patterns do not exclude."""
    if isinstance(value, dict):
        return {name: seen(member) for name, member in value.items()}
    if isinstance(value, list):
        return [seen(item) for item in value]
    if isinstance(value, str):
        return "".join("x" if is_unnamed(c) else c for c in value)
    return value


def is_unnamed(c):
    is_selector = "\U000e0100" <= c <= "\U000e01ef"
    return c > "\uffff" and (is_selector or unicodedata.category(c)[0] == "C")


def meaningful(body):
    body = dict(body)
    if "document" in body:
        body["document"] = document(body["document"])
    if "documents" in body:
        body["documents"] = [document(each) for each in body["documents"]]
    if "container" in body:
        body["container"] = container(body["container"])
    if "signers" in body:
        body["signers"] = parties(body["signers"])
    if "entityCode" in body:
        body["entityCode"] = KNOWN["code"]
    if "subjectRole" in body:
        body["subjectRole"] = "manager"
    if "callbackUrl" in body:
        body["callbackUrl"] = "https://hooks.example.com/orders"
    if "webhookUrl" in body:
        body["webhookUrl"] = "https://hooks.example.com/events"
    if "certificate" in body:
        body["certificate"] = os.environ["PARAFA_CARD_CERTIFICATE"]
    if "audience" in body:
        body["audience"] = os.environ["PARAFA_AUDIENCE"]
    # A URL of the audience, only for a Smart-ID request without a personal code.
    return_url = body.pop("returnUrl", None)
    by_link = body.get("method") == "smart_id" and "personalCode" not in body
    if return_url is not None and by_link:
        body["returnUrl"] = f"{body['audience']}/return"
    body.pop("signerEmail", None)
    if "email" in body:
        body = newcomer(body)
    if set(body) == {"name", "content"}:
        body = document(body)
    return body


def document(posted):
    """Sets the content to a PDF, with a matching name."""
    posted = {**posted, "name": pdf_name(posted["name"]), "content": DOCUMENT}
    posted.pop("fileToken", None)
    return posted


def container(posted):
    """Makes the names of files unique."""
    files = [
        {"name": f"{index}.pdf", "content": DOCUMENT}
        for index, _ in enumerate(posted["files"])
    ]
    return {**posted, "files": files}


def parties(posted):
    """Makes emails unique, without regard to case."""
    by_email = {}
    for party in posted:
        if party["email"].lower() in by_email:
            party = newcomer(party)
        by_email[party["email"].lower()] = party
    return list(by_email.values())


def newcomer(posted):
    """Sets an email that no other party has."""
    return {**posted, "email": f"{uuid.uuid4()}@example.com"}


def pdf_name(name):
    return name.rsplit(".", 1)[0] + ".pdf"
