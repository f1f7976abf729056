//! QC statements (RFC 3739 clause 3.2.6, ETSI EN 319 412-5).

use const_oid::AssociatedOid;
use der::asn1::{Any, ObjectIdentifier};
use der::{Decode, Reader, Sequence};

const QC_COMPLIANCE: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.1");
const QC_SSCD: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.4");
const QC_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6");
const QC_LEGISLATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.7");
const TYPE_ESIGN: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6.1");
const TYPE_ESEAL: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6.2");
const TYPE_WEB: ObjectIdentifier = ObjectIdentifier::new_unwrap("0.4.0.1862.1.6.3");

/// The issuer's statements on a certificate's qualification.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct QualifiedStatements {
    /// QcCompliance: it is an EU qualified certificate.
    pub compliance: bool,
    /// QcSSCD: the key lives in a qualified signature creation device.
    pub sscd: bool,
    /// QcCClegislation is present: it is qualified under the law of a country
    /// outside the EU, not under eIDAS.
    pub foreign_legislation: bool,
    /// QcType, empty when the statement is absent.
    pub types: Vec<QcType>,
}

/// Type of a qualified certificate.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum QcType {
    /// Electronic signatures.
    ESign,
    /// Electronic seals.
    ESeal,
    /// Website authentication.
    Web,
    /// A purpose outside EN 319 412-5.
    Other(ObjectIdentifier),
}

impl QualifiedStatements {
    /// Returns true if it is a qualified certificate for electronic signatures. One that states its
    /// compliance but no type is (EN 319 412-5 clause 4.2.3).
    #[must_use]
    pub fn is_for_electronic_signatures(&self) -> bool {
        self.compliance && (self.types.is_empty() || self.types.contains(&QcType::ESign))
    }
}

impl AssociatedOid for QualifiedStatements {
    const OID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.1.3");
}

impl<'a> Decode<'a> for QualifiedStatements {
    fn decode<R: Reader<'a>>(reader: &mut R) -> der::Result<Self> {
        let mut read = Self::default();
        for statement in Vec::<QcStatement>::decode(reader)? {
            match statement.identifier {
                QC_COMPLIANCE => read.compliance = true,
                QC_SSCD => read.sscd = true,
                QC_LEGISLATION => read.foreign_legislation = true,
                QC_TYPE => {
                    let types: Vec<ObjectIdentifier> = match &statement.information {
                        Some(information) => information.decode_as()?,
                        None => Vec::new(),
                    };
                    read.types.extend(types.into_iter().map(QcType::from));
                }
                _ => {}
            }
        }
        Ok(read)
    }
}

impl From<ObjectIdentifier> for QcType {
    fn from(oid: ObjectIdentifier) -> Self {
        match oid {
            TYPE_ESIGN => Self::ESign,
            TYPE_ESEAL => Self::ESeal,
            TYPE_WEB => Self::Web,
            other => Self::Other(other),
        }
    }
}

#[derive(Sequence)]
struct QcStatement {
    identifier: ObjectIdentifier,
    #[asn1(optional = "true")]
    information: Option<Any>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(hexadecimal: &str) -> der::Result<QualifiedStatements> {
        QualifiedStatements::from_der(&hex::decode(hexadecimal).expect("hexadecimal"))
    }

    const COMPLIANCE: &str = "3008060604008e460101";
    const SSCD: &str = "3008060604008e460104";
    const TYPE_IS_ESIGN: &str = "3013060604008e4601063009060704008e46010601";
    const TYPE_IS_ESEAL: &str = "3013060604008e4601063009060704008e46010602";

    fn sequence(members: &[&str]) -> String {
        let body = members.concat();
        format!("30{:02x}{body}", body.len() / 2)
    }

    #[test]
    fn compliance_without_a_type_counts_as_esign() {
        let read = read(&sequence(&[COMPLIANCE, SSCD])).expect("statements");
        assert!(read.compliance && read.sscd && read.types.is_empty());
        assert!(read.is_for_electronic_signatures());
    }

    #[test]
    fn a_seal_is_not_for_signatures() {
        let seal = read(&sequence(&[COMPLIANCE, TYPE_IS_ESEAL])).expect("statements");
        assert!(!seal.is_for_electronic_signatures());
        let sign = read(&sequence(&[COMPLIANCE, TYPE_IS_ESIGN])).expect("statements");
        assert!(sign.is_for_electronic_signatures());
    }

    #[test]
    fn a_type_without_compliance_is_not_qualified() {
        let read = read(&sequence(&[TYPE_IS_ESIGN])).expect("statements");
        assert!(!read.is_for_electronic_signatures());
    }
}
