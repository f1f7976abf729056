# The body is in the file body; secret and headers are in variables.
HMAC_KEY=$(printf %s "${SECRET#whsec_}" | base64 -d | od -An -vtx1 | tr -d ' \n')
SIGNATURE=$({ printf '%s.%s.' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP"; cat body; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$HMAC_KEY" -binary | base64)
# Nothing is computed with a time that may be anybody's.
echo "$WEBHOOK_SIGNATURE" | tr ' ' '\n' | grep -xF "v1,$SIGNATURE" > /dev/null &&
  AGE=$(($(date +%s) - WEBHOOK_TIMESTAMP)) && test "${AGE#-}" -le 300 && echo verified
