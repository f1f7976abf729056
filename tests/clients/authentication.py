"""A caller of the authentication API through the client that openapi-python-client makes.

Arguments: the folder of the generated package, the base URL, the key's id and secret in
base64, an origin. Prints the id of a request that it made, read and called off.
"""

import json
import sys

from generated import Package, same

folder, base_url, key, audience = sys.argv[1:]
package = Package(folder, base_url, key, prefix="Basic")
models, call = package.models, package.call

created = call(
    "providers.create_authentication",
    body=models.CreateAuthenticationRequest(
        audience=audience, method=models.AuthenticationMethod.PHYSICAL
    ),
)
assert isinstance(created, models.CreatedAuthentication), created
assert same(created.to_dict(), json.loads(package.content)), created

read = call("providers.read_authentication", created.request_id)
assert read.status == models.AuthenticationStatus.PENDING, read
keys = call("providers.read_assertion_keys")
assert keys.keys and all(key.alg == "ES256" for key in keys.keys), keys

call("providers.cancel_authentication", created.request_id)
read = call("providers.read_authentication", created.request_id)
assert read.status == models.AuthenticationStatus.CANCELLED, read
refused = call("providers.cancel_authentication", created.request_id)
assert refused.error.code == "terminal_request", refused
print(created.request_id)
