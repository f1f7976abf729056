const bytes = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));

/** The body is what `await request.arrayBuffer()` gives, as it came. */
export async function verify(secret: string, headers: Headers, body: ArrayBuffer): Promise<boolean> {
  const sent = headers.get("webhook-timestamp") ?? "";
  if (!(Math.abs(Date.now() / 1000 - Number(sent)) <= 300)) return false;
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(secret.slice("whsec_".length)), hmac, false, ["verify"]);
  const signed = await new Blob([`${headers.get("webhook-id")}.${sent}.`, body]).arrayBuffer();
  for (const given of (headers.get("webhook-signature") ?? "").split(" ")) {
    const value = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(given)?.[1];
    if (value && await crypto.subtle.verify("HMAC", key, bytes(value), signed)) return true;
  }
  return false;
}
