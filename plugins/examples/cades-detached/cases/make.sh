#!/bin/sh
# Makes the cases, with OpenSSL 3 as another maker of CAdES. Keys are made anew and thrown away.
set -eu
cd "$(dirname "$0")"
keys=$(mktemp -d)
trap 'rm -r "$keys"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -utf8 -days 3650 \
    -subj "/CN=Ona Onaitė" -keyout "$keys/key.pem" -out "$keys/certificate.pem" 2>/dev/null
printf 'Labas.\n' > "$keys/letter.txt"
printf 'Viso.\n' > "$keys/changed.txt"
: > "$keys/unsigned.p7s"

# sign NAME OPTION...: signs the letter.
sign() {
    name=$1
    shift
    openssl cms -sign -binary -nosmimecap -md sha256 "$@" -outform DER -in "$keys/letter.txt" \
        -signer "$keys/certificate.pem" -inkey "$keys/key.pem" -out "$keys/$name.p7s"
}
sign signed -cades
sign plain
sign typed -cades -econtent_type 1.2.3.4
sign inside -cades -nodetach

# case_of NAME DOCUMENT [FILE BESIDE]...: makes a case with the checks on standard input. A file
# beside the document is given as NAME=SOURCE.
case_of() {
    folder=$1
    document=$2
    shift 2
    rm -rf "$folder"
    mkdir "$folder"
    cp "$keys/$document" "$folder/letter.p7s"
    {
        echo "origin = \"made by cases/make.sh with $(openssl version | cut -d ' ' -f 1,2)\""
        echo "licence = \"Apache-2.0\""
        echo "input = \"letter.p7s\""
        echo "sha256 = \"$(digest "$folder/letter.p7s")\""
        for beside in "$@"; do
            file=${beside%%=*}
            cp "$keys/${beside#*=}" "$folder/$file"
            printf '\n[[beside]]\nfile = "%s"\n' "$file"
            echo "sha256 = \"$(digest "$folder/$file")\""
        done
        cat
    } > "$folder/case.toml"
}

digest() {
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
}

case_of unsigned unsigned.p7s letter.txt=letter.txt <<'CHECKS'

[[checks]]
operation = "inspect"
expect.accepted = { signatures = 0, media-type = "application/pkcs7-signature" }

[[checks]]
operation = "verify"
expect.accepted = { signatures = 0 }

[[checks]]
operation = "sign"
expect.accepted = { signatures = 1, level = "CAdES-B-B" }

# Ceremonies with Smart-ID sign with RSA keys.
[[checks]]
operation = "sign"
algorithm = "RSA-PKCS1-SHA256"
target = "B-T"
expect.accepted = { signatures = 1, level = "CAdES-B-T" }

[[checks]]
operation = "sign"
signers = 2
expect.refused = "already-signed"
CHECKS

case_of unsigned-alone unsigned.p7s <<'CHECKS'

[[checks]]
operation = "sign"
expect.refused = "bad-request"
CHECKS

case_of unsigned-beside-two unsigned.p7s letter.txt=letter.txt other.txt=changed.txt <<'CHECKS'

[[checks]]
operation = "sign"
expect.refused = "bad-request"
CHECKS

case_of signed signed.p7s letter.txt=letter.txt <<'CHECKS'

[[checks]]
operation = "inspect"
expect.accepted = { signatures = 1 }

[[checks]]
operation = "verify"
expect.accepted = { signatures = 1, integrity = ["intact"], levels = ["CAdES-B-B"] }

[[checks]]
operation = "sign"
expect.refused = "already-signed"
CHECKS

case_of signed-alone signed.p7s <<'CHECKS'

[[checks]]
operation = "verify"
expect.accepted = { integrity = ["unsupported"] }
CHECKS

case_of signed-beside-another signed.p7s letter.txt=changed.txt <<'CHECKS'

[[checks]]
operation = "verify"
expect.accepted = { integrity = ["digest-mismatch"] }
CHECKS

case_of signed-plain-cms plain.p7s letter.txt=letter.txt <<'CHECKS'

[[checks]]
operation = "verify"
expect.accepted = { integrity = ["intact"], levels = ["unknown"] }
CHECKS

case_of signed-as-another-type typed.p7s letter.txt=letter.txt <<'CHECKS'

[[checks]]
operation = "verify"
expect.accepted = { integrity = ["malformed"] }
CHECKS

case_of signed-inside inside.p7s <<'CHECKS'

[[checks]]
operation = "inspect"
expect.refused = "not-detached"
CHECKS

case_of text letter.txt <<'CHECKS'

[[checks]]
operation = "inspect"
expect.refused = "not-cms"
CHECKS
