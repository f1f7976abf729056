//! Schema validation: XML Signature (XML Signature Syntax and Processing 1.0)
//! and XAdES (ETSI EN 319 132-1, annex C). Programs that validate signatures
//! reject a file that violates the schema.

use std::collections::HashMap;
use std::sync::LazyLock;

use parafa_xml::{Document, Element};

use crate::fault::Fault;
use crate::names::{DSIG, XADES};
use crate::signature::{Signature, binary};
use crate::time;

/// Namespace whose attributes are allowed everywhere (XML Schema 1.0 part 1,
/// 3.2.7).
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Element definitions. After a namespace line, each line has names of elements
/// of the same type, their attributes (`?`: optional; `*`: any; `*:*`: any in a
/// namespace), ` / `, and their content.
///
/// A content is a sequence of elements, each occurring once, or as `?`, `*` and
/// `+` state. `|` is a choice, and `Name=Other` has the type of `Other`.
/// `#other` is any element of another namespace, `#any` any element. `#text`
/// before them allows mixed content; the other words with `#` are types of
/// text.
const SCHEMAS: &str = include_str!("schemas.txt");

static KINDS: LazyLock<HashMap<(&str, &str), Kind>> = LazyLock::new(|| {
    let mut namespace = "";
    let mut kinds = HashMap::new();
    for line in SCHEMAS.lines() {
        let mut parts = line.split('/').map(str::trim);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(names), Some(attributes), Some(content), None) => {
                let kind = Kind {
                    namespace,
                    attributes,
                    content,
                };
                let names = names.split(' ').map(|name| ((namespace, name), kind));
                kinds.extend(names);
            }
            _ => namespace = line,
        }
    }
    kinds
});

/// Type of elements.
#[derive(Clone, Copy, Debug)]
struct Kind {
    namespace: &'static str,
    attributes: &'static str,
    content: &'static str,
}

/// An element with its type. Without one, its schema is unknown, and its
/// children are validated by their own names (`processContents="lax"`).
type Placed<'d> = (Element<'d>, Option<Kind>);

/// Validates all of a signature.
pub(crate) fn check(signature: Signature<'_>) -> Result<(), Fault> {
    let mut left = vec![placed(signature.0)];
    while let Some((element, kind)) = left.pop() {
        match kind {
            Some(kind) => left.extend(kind.check(element)?),
            None => left.extend(element.children().map(placed)),
        }
    }
    Ok(())
}

/// Validates that a signature file contains only signatures (EN 319 162-1,
/// 4.4.3.2).
pub(crate) fn check_file(document: &Document<'_>) -> Result<(), Fault> {
    let root = document.root();
    let mut others = root.children().filter(|child| !child.is(DSIG, "Signature"));
    match others.next() {
        Some(other) if !root.is(DSIG, "Signature") => Err(misplaced(root, other)),
        _ => Ok(()),
    }
}

fn placed(element: Element<'_>) -> Placed<'_> {
    let kind = Kind::of(element.namespace(), element.local_name());
    (element, kind)
}

impl Kind {
    fn of(namespace: &str, name: &str) -> Option<Self> {
        KINDS.get(&(namespace, name)).copied()
    }

    /// Returns the children of an element, if it is of this type.
    fn check(self, element: Element<'_>) -> Result<Vec<Placed<'_>>, Fault> {
        self.check_attributes(element)?;
        let text = element.text();
        let (is_text_sound, content) = match self.content {
            "#string" => (true, ""),
            "#base64" => (binary(element).is_some(), ""),
            "#integer" => (is_integer(&text), ""),
            "#time" => (time::parse(&text).is_some(), ""),
            content => match content.strip_prefix("#text ") {
                Some(content) => (true, content),
                None => (text.trim_ascii().is_empty(), content),
            },
        };
        if !is_text_sound {
            return Err(fault(element, "its text is of another kind"));
        }
        let children: Vec<_> = element.children().collect();
        let mut rest = children.as_slice();
        let mut found = Vec::new();
        for particle in content.split_ascii_whitespace() {
            let most = if particle.ends_with(['*', '+']) {
                rest.len()
            } else {
                1
            };
            let names = particle.trim_end_matches(['?', '*', '+']);
            let before = found.len();
            let children = rest.iter().take(most);
            found.extend(children.map_while(|child| self.place(names, *child)));
            let count = found.len() - before;
            if count == 0 && !particle.ends_with(['?', '*']) {
                return Err(match rest.first() {
                    Some(child) => misplaced(element, *child),
                    None => fault(element, &format!("{names} is missing")),
                });
            }
            rest = &rest[count..];
        }
        match rest.first() {
            Some(child) => Err(misplaced(element, *child)),
            None => Ok(found),
        }
    }

    /// Matches a child against these names; `None` if it has none of them.
    fn place<'d>(self, names: &'static str, child: Element<'d>) -> Option<Placed<'d>> {
        names.split('|').find_map(|name| match name {
            "#any" => Some(placed(child)),
            "#other" => {
                let is_other = !["", self.namespace].contains(&child.namespace());
                is_other.then(|| placed(child))
            }
            _ => {
                let (namespace, name, kind) = self.named(name);
                let is_named = child.is(namespace, name);
                is_named.then(|| (child, Self::of(namespace, kind)))
            }
        })
    }

    /// Returns namespace and name of a child, and the name of its type.
    fn named(self, name: &'static str) -> (&'static str, &'static str, &'static str) {
        let (namespace, name) = match name.split_once(':') {
            Some(("ds", name)) => (DSIG, name),
            Some((_, name)) => (XADES, name),
            None => (self.namespace, name),
        };
        let (name, kind) = name.split_once('=').unwrap_or((name, name));
        (namespace, name, kind)
    }

    fn check_attributes(self, element: Element<'_>) -> Result<(), Fault> {
        if self.attributes == "*" {
            return Ok(());
        }
        let declared = || self.attributes.split_ascii_whitespace();
        for (namespace, name, value) in element.attributes() {
            let name_or_any = if namespace.is_empty() { name } else { "*:*" };
            let mut names = declared().map(|known| known.trim_end_matches('?'));
            let is_declared = names.any(|known| known == name_or_any);
            let is_sound = match name {
                _ if namespace == INSTANCE => continue,
                _ if !is_declared => false,
                "Id" => is_identifier(value),
                "Qualifier" => ["OIDAsURI", "OIDAsURN"].contains(&value),
                "Order" => is_integer(value),
                "referencedData" => ["true", "false", "1", "0"].contains(&value),
                _ => true,
            };
            if !is_sound {
                let reason = format!("the attribute {name} has no place there, or not this value");
                return Err(fault(element, &reason));
            }
        }
        let mut required = declared().filter(|name| !name.ends_with('?'));
        match required.find(|name| element.attribute(name).is_none()) {
            Some(name) => Err(fault(element, &format!("the attribute {name} is missing"))),
            None => Ok(()),
        }
    }
}

/// Returns whether a text is an identifier of letters, digits, `-`, `.` and
/// `_`. Unlike in the schemas, the first character may be a digit, as in
/// dss__container-with-counter-signature.asice.
fn is_identifier(text: &str) -> bool {
    let text = text.trim_ascii();
    let mut others = text.bytes().filter(|byte| !byte.is_ascii_alphanumeric());
    !text.is_empty() && others.all(|byte| !byte.is_ascii() || b"-._".contains(&byte))
}

fn is_integer(text: &str) -> bool {
    let text = text.trim_ascii();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn misplaced(parent: Element<'_>, child: Element<'_>) -> Fault {
    let name = child.qualified_name();
    fault(parent, &format!("{name} has no place there"))
}

fn fault(element: Element<'_>, reason: &str) -> Fault {
    Fault::Schema {
        element: element.qualified_name(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use parafa_xml::Limits;

    use super::*;
    use crate::names::XADES_141;

    /// Returns the finding on elements within an Object.
    fn told(object: &str) -> Result<(), String> {
        let file = format!(
            "<Signature xmlns=\"{DSIG}\" xmlns:x=\"{XADES}\" xmlns:y=\"{XADES_141}\" xmlns:o=\"urn:other\">\
             <SignedInfo><CanonicalizationMethod Algorithm=\"\"/><SignatureMethod Algorithm=\"\"/>\
             <Reference><DigestMethod Algorithm=\"\"/><DigestValue/></Reference></SignedInfo>\
             <SignatureValue>AA==</SignatureValue><Object>{object}</Object></Signature>"
        );
        let document = Document::parse(file.as_bytes(), &Limits::default()).unwrap();
        check(Signature(document.root())).map_err(|fault| fault.to_string())
    }

    #[test]
    fn every_element_that_another_holds_is_described_once() {
        let lines = SCHEMAS.lines().filter(|line| line.contains(" / "));
        let names = lines.filter_map(|line| line.split(" / ").next());
        assert_eq!(
            names.flat_map(|names| names.split(' ')).count(),
            KINDS.len()
        );
        for namespace in [DSIG, XADES, XADES_141] {
            assert!(KINDS.keys().any(|(known, _)| *known == namespace));
        }
        for kind in KINDS.values() {
            let particles = kind.content.split_ascii_whitespace();
            let names = particles.flat_map(|particle| {
                let names = particle.trim_end_matches(['?', '*', '+']);
                names.split('|').filter(|name| !name.starts_with('#'))
            });
            for name in names {
                let (namespace, _, kind) = kind.named(name);
                assert!(KINDS.contains_key(&(namespace, kind)), "{name}");
            }
        }
    }

    #[test]
    fn what_is_of_no_schema_may_hold_anything_but_what_breaks_one() {
        for sound in [
            "",
            "text",
            "<o:a b='c'>text<o:d/></o:a>",
            "<x:Unknown Id='a b'/>",
            "<Object Id='1-ą_.'/>",
            "<o:a><Manifest><Reference URI='a'><DigestMethod Algorithm='b'/><DigestValue>AAA=</DigestValue></Reference></Manifest></o:a>",
            "<x:SPUserNotice><x:NoticeRef><x:Organization>a</x:Organization><x:NoticeNumbers><x:int>-1</x:int></x:NoticeNumbers></x:NoticeRef></x:SPUserNotice>",
            "<x:ClaimedRoles><x:ClaimedRole xml:lang='lt'>c<o:d e='f'/></x:ClaimedRole></x:ClaimedRoles>",
            "<x:SigningCertificate><!-- a --> <x:Cert><x:CertDigest><DigestMethod Algorithm=''/><DigestValue/></x:CertDigest>\
             <x:IssuerSerial><X509IssuerName/><X509SerialNumber> 1\n</X509SerialNumber></x:IssuerSerial></x:Cert></x:SigningCertificate>",
            "<y:CompleteCertificateRefsV2><y:CertRefs><x:Cert><x:CertDigest><DigestMethod Algorithm=''/><DigestValue/></x:CertDigest></x:Cert></y:CertRefs></y:CompleteCertificateRefsV2>",
        ] {
            assert_eq!(told(sound), Ok(()), "{sound}");
        }
        for (broken, named) in [
            ("<o:a><Manifest/></o:a>", "Manifest "),
            ("<Manifest><o:a/></Manifest>", "Manifest "),
            ("<x:SPUserNotice>text</x:SPUserNotice>", "x:SPUserNotice "),
            (
                "<x:ClaimedRoles><x:ClaimedRole><Manifest/></x:ClaimedRole></x:ClaimedRoles>",
                "Manifest ",
            ),
            ("<x:SigningTime><o:a/></x:SigningTime>", "x:SigningTime "),
            ("<x:SigningTime>now</x:SigningTime>", "x:SigningTime "),
            (
                "<y:CertRefs><x:Cert><x:CertDigest/></x:Cert></y:CertRefs>",
                "x:CertDigest ",
            ),
            (
                "<x:ClaimedRoles><x:ClaimedRole a='b'/></x:ClaimedRoles>",
                "x:ClaimedRole ",
            ),
            ("<Object Id='a:b'/>", "Object "),
            ("<x:Include/>", "x:Include "),
            ("<x:Include URI='' o:a=''/>", "x:Include "),
            ("<x:Include URI='' referencedData='a'/>", "x:Include "),
            (
                "<y:RecomputedDigestValue Order='a'/>",
                "y:RecomputedDigestValue ",
            ),
            (
                "<x:CertificateValues><x:EncapsulatedX509Certificate>A</x:EncapsulatedX509Certificate></x:CertificateValues>",
                "x:EncapsulatedX509Certificate ",
            ),
        ] {
            let told = told(broken).unwrap_err();
            assert!(told.starts_with(named), "{broken}: {told}");
        }
    }
}
