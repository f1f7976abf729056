//! Namespaces, types and algorithms by their identifiers (XML Signature 1.1;
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
/// Signature files of OpenDocument, which ADOC has.
pub const OPEN_DOCUMENT: &str = "urn:oasis:names:tc:opendocument:xmlns:digitalsignature:1.0";

/// The type of the reference to SignedProperties (EN 319 132-1, 4.3.3).
pub(crate) const SIGNED_PROPERTIES_TYPE: &str = "http://uri.etsi.org/01903#SignedProperties";
/// What older writers of ADOC wrote in its place.
pub(crate) const OLD_SIGNED_PROPERTIES_TYPE: &str =
    "http://uri.etsi.org/01903/v1.3.2#SignedProperties";

/// The XPath 1.0 transform.
pub(crate) const XPATH: &str = "http://www.w3.org/TR/1999/REC-xpath-19991116";

const DIGESTS: [(DigestAlgorithm, &str); 4] = [
    (
        DigestAlgorithm::Sha1,
        "http://www.w3.org/2000/09/xmldsig#sha1",
    ),
    (
        DigestAlgorithm::Sha256,
        "http://www.w3.org/2001/04/xmlenc#sha256",
    ),
    (
        DigestAlgorithm::Sha384,
        "http://www.w3.org/2001/04/xmldsig-more#sha384",
    ),
    (
        DigestAlgorithm::Sha512,
        "http://www.w3.org/2001/04/xmlenc#sha512",
    ),
];

const SIGNATURES: [(SignatureAlgorithm, &str); 11] = {
    use DigestAlgorithm::{Sha1, Sha256, Sha384, Sha512};
    use SignatureAlgorithm::{Ecdsa, RsaPkcs1, RsaPss};

    [
        (RsaPkcs1(Sha1), "http://www.w3.org/2000/09/xmldsig#rsa-sha1"),
        (
            RsaPkcs1(Sha256),
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        ),
        (
            RsaPkcs1(Sha384),
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
        ),
        (
            RsaPkcs1(Sha512),
            "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
        ),
        (
            RsaPss(Sha256),
            "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1",
        ),
        (
            RsaPss(Sha384),
            "http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1",
        ),
        (
            RsaPss(Sha512),
            "http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1",
        ),
        (
            Ecdsa(Sha1),
            "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1",
        ),
        (
            Ecdsa(Sha256),
            "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
        ),
        (
            Ecdsa(Sha384),
            "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384",
        ),
        (
            Ecdsa(Sha512),
            "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
        ),
    ]
};

/// Whether an algorithm of signatures or digests is one with SHA-1 or MD5.
pub(crate) fn is_weak(uri: &str) -> bool {
    let name = uri.rsplit_once('#').map_or("", |(_, name)| name);
    name.split('-').any(|part| matches!(part, "sha1" | "md5"))
}

/// The digest algorithm of an identifier.
pub(crate) fn digest_algorithm(uri: &str) -> Option<DigestAlgorithm> {
    DIGESTS
        .iter()
        .find(|(_, known)| *known == uri)
        .map(|(algorithm, _)| *algorithm)
}

/// The identifier of a digest algorithm.
pub(crate) fn digest_uri(algorithm: DigestAlgorithm) -> &'static str {
    let known = DIGESTS.iter().find(|(known, _)| *known == algorithm);
    known.expect("every digest algorithm has an identifier").1
}

/// The signature algorithm of an identifier.
pub(crate) fn signature_algorithm(uri: &str) -> Option<SignatureAlgorithm> {
    SIGNATURES
        .iter()
        .find(|(_, known)| *known == uri)
        .map(|(algorithm, _)| *algorithm)
}

/// The identifier of a signature algorithm, if it has one.
pub(crate) fn signature_uri(algorithm: SignatureAlgorithm) -> Option<&'static str> {
    SIGNATURES
        .iter()
        .find(|(known, _)| *known == algorithm)
        .map(|(_, uri)| *uri)
}
