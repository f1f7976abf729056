"""Makes the generated layer, `parafa/api`, of what a server describes: python generate.py BASE_URL"""

import shutil
import subprocess
import sys
from pathlib import Path

APIS = {
    "signing": "openapi.json",
    "diligence": "dd/openapi.json",
    "authentication": "auth/openapi.json",
}
HERE = Path(__file__).resolve().parent
LICENCE = HERE.parents[2] / "LICENSE"


def generation(base_url: str, name: str, path: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "openapi_python_client", "generate"]
        + ["--url", f"{base_url.rstrip('/')}/{path}", "--config", str(HERE / "generate.yml")]
        + ["--output-path", str(HERE / "parafa/api" / name), "--meta", "none"]
        + ["--overwrite", "--fail-on-warning"]
    )


if __name__ == "__main__":
    (HERE / "parafa/api").mkdir(exist_ok=True)
    (HERE / "parafa/api/__init__.py").touch()
    generations = [generation(sys.argv[1], *api) for api in APIS.items()]
    if any([generation.wait() for generation in generations]):
        sys.exit("a description could not be read")
    if LICENCE.is_file():
        shutil.copy(LICENCE, HERE)
