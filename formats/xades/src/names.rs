//! Namespaces and the identifiers of types and algorithms (XML Signature 1.1;
//! RFC 9231; ETSI EN 319 132-1; ETSI EN 319 162-1).

use parafa_format_core::{DigestAlgorithm, SignatureAlgorithm};

/// XML Signature.
pub const DSIG: &str = "http://www.w3.org/2000/09/xmldsig#";
/// XAdES 1.3.2.
pub const XADES: &str = "http://uri.etsi.org/01903/v1.3.2#";
/// XAdES 1.4.1.
pub const XADES_141: &str = "http://uri.etsi.org/01903/v1.4.1#";
/// Signature files of ASiC.
pub const ASIC: &str = "http://uri.etsi.org/02918/v1.2.1#";
/// Signature files of OpenDocument, used by ADOC.
pub const OPEN_DOCUMENT: &str = "urn:oasis:names:tc:opendocument:xmlns:digitalsignature:1.0";

/// Type of the reference to SignedProperties (EN 319 132-1, 4.3.3).
pub(crate) const SIGNED_PROPERTIES_TYPE: &str = "http://uri.etsi.org/01903#SignedProperties";
/// Type written by older ADOC software.
pub(crate) const OLD_SIGNED_PROPERTIES_TYPE: &str =
    "http://uri.etsi.org/01903/v1.3.2#SignedProperties";

/// The XPath 1.0 transform.
pub(crate) const XPATH: &str = "http://www.w3.org/TR/1999/REC-xpath-19991116";

/// The enveloped-signature transform (XML Signature 1.1, 6.6.4).
pub(crate) const ENVELOPED: &str = "http://www.w3.org/2000/09/xmldsig#enveloped-signature";

/// Transforms of XML Signature 1.1, 6.6, that containers do not use.
pub(crate) const OTHER_TRANSFORMS: [&str; 5] = [
    XPATH,
    "http://www.w3.org/2000/09/xmldsig#base64",
    ENVELOPED,
    "http://www.w3.org/2002/06/xmldsig-filter2",
    "http://www.w3.org/TR/1999/REC-xslt-19991116",
];

const DIGESTS: [(DigestAlgorithm, &str); 9] = {
    use DigestAlgorithm::{
        Sha1, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512,
    };

    [
        (Sha1, "http://www.w3.org/2000/09/xmldsig#sha1"),
        (Sha224, "http://www.w3.org/2001/04/xmldsig-more#sha224"),
        (Sha256, "http://www.w3.org/2001/04/xmlenc#sha256"),
        (Sha384, "http://www.w3.org/2001/04/xmldsig-more#sha384"),
        (Sha512, "http://www.w3.org/2001/04/xmlenc#sha512"),
        (Sha3_224, "http://www.w3.org/2007/05/xmldsig-more#sha3-224"),
        (Sha3_256, "http://www.w3.org/2007/05/xmldsig-more#sha3-256"),
        (Sha3_384, "http://www.w3.org/2007/05/xmldsig-more#sha3-384"),
        (Sha3_512, "http://www.w3.org/2007/05/xmldsig-more#sha3-512"),
    ]
};

/// Signature algorithms with namespace and name of their identifiers.
const SIGNATURES: [(SignatureAlgorithm, &str, &str); 24] = {
    use DigestAlgorithm::{
        Sha1, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512,
    };
    use SignatureAlgorithm::{Ecdsa, Ed448, Ed25519, RsaPkcs1, RsaPss};

    [
        (RsaPkcs1(Sha1), DSIG, "rsa-sha1"),
        (RsaPkcs1(Sha224), MORE_2001, "rsa-sha224"),
        (RsaPkcs1(Sha256), MORE_2001, "rsa-sha256"),
        (RsaPkcs1(Sha384), MORE_2001, "rsa-sha384"),
        (RsaPkcs1(Sha512), MORE_2001, "rsa-sha512"),
        (RsaPss(Sha1), MORE_2007, "sha1-rsa-MGF1"),
        (RsaPss(Sha224), MORE_2007, "sha224-rsa-MGF1"),
        (RsaPss(Sha256), MORE_2007, "sha256-rsa-MGF1"),
        (RsaPss(Sha384), MORE_2007, "sha384-rsa-MGF1"),
        (RsaPss(Sha512), MORE_2007, "sha512-rsa-MGF1"),
        (RsaPss(Sha3_224), MORE_2007, "sha3-224-rsa-MGF1"),
        (RsaPss(Sha3_256), MORE_2007, "sha3-256-rsa-MGF1"),
        (RsaPss(Sha3_384), MORE_2007, "sha3-384-rsa-MGF1"),
        (RsaPss(Sha3_512), MORE_2007, "sha3-512-rsa-MGF1"),
        (Ecdsa(Sha1), MORE_2001, "ecdsa-sha1"),
        (Ecdsa(Sha224), MORE_2001, "ecdsa-sha224"),
        (Ecdsa(Sha256), MORE_2001, "ecdsa-sha256"),
        (Ecdsa(Sha384), MORE_2001, "ecdsa-sha384"),
        (Ecdsa(Sha512), MORE_2001, "ecdsa-sha512"),
        (Ecdsa(Sha3_256), MORE_2021, "ecdsa-sha3-256"),
        (Ecdsa(Sha3_384), MORE_2021, "ecdsa-sha3-384"),
        (Ecdsa(Sha3_512), MORE_2021, "ecdsa-sha3-512"),
        (Ed25519, MORE_2021, "eddsa-ed25519"),
        (Ed448, MORE_2021, "eddsa-ed448"),
    ]
};

const MORE_2001: &str = "http://www.w3.org/2001/04/xmldsig-more#";
const MORE_2007: &str = "http://www.w3.org/2007/05/xmldsig-more#";
const MORE_2021: &str = "http://www.w3.org/2021/04/xmldsig-more#";

/// Returns whether a signature or digest algorithm uses SHA-1 or MD5.
pub(crate) fn is_weak(uri: &str) -> bool {
    let name = uri.rsplit_once('#').map_or("", |(_, name)| name);
    name.split('-').any(|part| matches!(part, "sha1" | "md5"))
}

/// Returns the digest algorithm of an identifier.
pub(crate) fn digest_algorithm(uri: &str) -> Option<DigestAlgorithm> {
    DIGESTS
        .iter()
        .find(|(_, known)| *known == uri)
        .map(|(algorithm, _)| *algorithm)
}

/// Returns the identifier of a digest algorithm, if it has one.
pub(crate) fn digest_uri(algorithm: DigestAlgorithm) -> Option<&'static str> {
    let known = DIGESTS.iter().find(|(known, _)| *known == algorithm);
    known.map(|(_, uri)| *uri)
}

/// Returns the signature algorithm of an identifier.
pub(crate) fn signature_algorithm(uri: &str) -> Option<SignatureAlgorithm> {
    let known = SIGNATURES.iter();
    let mut known = known.filter(|(_, namespace, name)| uri.strip_prefix(namespace) == Some(name));
    known.next().map(|(algorithm, _, _)| *algorithm)
}

/// Returns the identifier of a signature algorithm, if it has one.
pub(crate) fn signature_uri(algorithm: SignatureAlgorithm) -> Option<String> {
    let mut known = SIGNATURES.iter();
    let (_, namespace, name) = known.find(|(known, ..)| *known == algorithm)?;
    Some([*namespace, name].concat())
}
