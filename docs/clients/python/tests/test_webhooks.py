import base64
import unittest

from parafa import WebhookError, verify_webhook
from parafa.api.signing.models import SigningEvent

from . import VECTORS

VECTOR = VECTORS["webhook"]
SECRET = VECTOR["secret"]
BODY = VECTOR["body"].encode()
AT = int(VECTOR["timestamp"])
OTHER = "whsec_" + base64.b64encode(b"another secret").decode()


def headers(**changes):
    fields = {name: VECTOR[name] for name in ("id", "timestamp", "signature")} | changes
    return {f"Webhook-{name.capitalize()}": value for name, value in fields.items()}


class Webhooks(unittest.TestCase):
    def test_the_published_vector_holds(self):
        delivery = verify_webhook(BODY, headers(), SECRET, now=AT)

        self.assertEqual((delivery.id, delivery.timestamp), (VECTOR["id"], AT))
        event = SigningEvent.from_dict(delivery.event)
        self.assertEqual(event.event.value, "signing.completed")

    def test_either_side_of_a_rotation_may_have_two_secrets(self):
        both = headers(signature=f"v1,{'A' * 43}= {VECTOR['signature']}")

        for secrets in ([OTHER, SECRET], [SECRET, OTHER]):
            self.assertEqual(verify_webhook(BODY, both, secrets, now=AT).id, VECTOR["id"])

    def test_what_is_changed_or_signed_by_somebody_else_is_refused(self):
        for body, fields, secret in [
            (BODY + b" ", headers(), SECRET),
            (BODY, headers(id="another"), SECRET),
            (BODY, headers(timestamp=str(AT + 1)), SECRET),
            (BODY, headers(), OTHER),
            (BODY, headers(signature=VECTOR["signature"].replace("v1,", "v2,")), SECRET),
            (BODY, headers(signature=""), SECRET),
            (BODY, {"webhook-id": VECTOR["id"]}, SECRET),
        ]:
            with self.subTest(fields=fields), self.assertRaises(WebhookError):
                verify_webhook(body, fields, secret, now=AT)

    def test_what_was_sent_more_than_five_minutes_ago_or_ahead_is_refused(self):
        for off in (-300, 300):
            verify_webhook(BODY, headers(), SECRET, now=AT + off)
        for off in (-301, 301):
            with self.assertRaises(WebhookError):
                verify_webhook(BODY, headers(), SECRET, now=AT + off)

    def test_a_secret_that_is_none_is_no_reason_to_believe_anything(self):
        for secrets in ([], "", "whsec_", SECRET.removeprefix("whsec_"), "whsec_?"):
            with self.subTest(secrets=secrets), self.assertRaises(ValueError):
                verify_webhook(BODY, headers(), secrets, now=AT)
