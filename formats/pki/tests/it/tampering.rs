//! Evidence with one changed byte.

/// The last bytes of the OID ecdsa-with-SHA256; there is no ecdsa-with-127.
const ALGORITHM: &[u8] = &[0xCE, 0x3D, 4, 3, 2];

/// Changes one byte in each part of DER evidence; returns the variants by name.
/// `inner` is an embedded certificate.
pub(crate) fn tampered(der: &[u8], inner: Option<&[u8]>) -> Vec<(&'static str, Vec<u8>)> {
    let mut parts = vec![("tag", 0), ("body", 90)];
    let mut signature = der.len() - 1;
    if let Some(inner) = inner {
        let at = find(der, inner).expect("the certificate comes along");
        parts.push(("certificate", at + 90));
        parts.push(("signature of the certificate", at + inner.len() - 1));
        if at + inner.len() == der.len() {
            // Before the only certificate and two headers.
            signature = at - 12;
        }
    }
    parts.push(("signature", signature));
    let algorithm = find(der, ALGORITHM).expect("it is signed so");
    parts.push(("algorithm", algorithm + ALGORITHM.len() - 1));
    let changed = parts.into_iter().map(|(part, offset)| {
        let mut changed = der.to_vec();
        changed[offset] ^= if part == "algorithm" { 0x7F ^ 2 } else { 1 };
        (part, changed)
    });
    changed.collect()
}

/// Returns the offset of bytes in others.
pub(crate) fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
