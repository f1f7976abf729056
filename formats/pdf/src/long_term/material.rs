use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use parafa_cades::{
    Certificate, CertificateStatus, Error, RevocationData, RevocationError, SignedData,
    TimestampToken,
};
use parafa_format_core::Environment;

use super::budget::Budget;
use super::security_store::SecurityStore;
use crate::limits::Limits;
use crate::verify::CheckedSignature;

/// Most revocation data that are looked at for one certificate.
const MAX_DATA_ABOUT_ONE: usize = 50;

/// Certificates and revocation data at hand, each once.
pub(crate) struct Material<'d, E> {
    environment: Budget<'d, E>,
    max_candidates: usize,
    certificates: Vec<Certificate<'d>>,
    by_der: BTreeMap<&'d [u8], usize>,
    by_subject: BTreeMap<&'d [u8], Vec<usize>>,
    data: Vec<Datum<'d>>,
    data_by_der: BTreeMap<&'d [u8], usize>,
    anchors: BTreeSet<usize>,
    stored: BTreeSet<usize>,
    issuers: RefCell<BTreeMap<usize, Option<usize>>>,
    data_about: RefCell<BTreeMap<usize, Rc<[usize]>>>,
    statuses: RefCell<BTreeMap<(usize, usize), KnownStatus>>,
}

type KnownStatus = Rc<Result<CertificateStatus, RevocationError>>;

/// Revocation data.
pub(crate) struct Datum<'d> {
    /// The DER that it was read from.
    pub(crate) der: &'d [u8],
    /// What it is.
    pub(crate) parsed: RevocationData<'d>,
    /// Where it stands in the document; `None` when it does not yet.
    pub(crate) place: Option<usize>,
}

impl<'d, E: Environment> Material<'d, E> {
    /// Nothing yet.
    pub(crate) fn new(environment: &'d E, limits: &Limits) -> Self {
        Self {
            environment: Budget::new(environment, limits),
            max_candidates: limits.chain_candidates,
            certificates: Vec::new(),
            by_der: BTreeMap::new(),
            by_subject: BTreeMap::new(),
            data: Vec::new(),
            data_by_der: BTreeMap::new(),
            anchors: BTreeSet::new(),
            stored: BTreeSet::new(),
            issuers: RefCell::default(),
            data_about: RefCell::default(),
            statuses: RefCell::default(),
        }
    }

    /// Adds what a document holds. Data that cannot be read tell nothing.
    pub(crate) fn add_document(
        &mut self,
        signatures: &'d [CheckedSignature<'_>],
        store: &'d SecurityStore,
    ) {
        for signature in signatures {
            let own = signature.cms.iter();
            let tokens = signature.timestamps.iter().map(TimestampToken::signed_data);
            for signed_data in own.chain(tokens) {
                for certificate in signed_data.certificates() {
                    self.add_certificate(certificate);
                }
            }
        }
        for certificate in &store.certificates {
            let index = self.add_certificate(certificate);
            self.stored.extend(index);
        }
        for (place, data) in &store.revocation {
            let _ = self.add_revocation(data, *place);
        }
    }

    /// Adds a certificate; `None` when it cannot be read or there are too many.
    pub(crate) fn add_certificate(&mut self, der: &'d [u8]) -> Option<usize> {
        if let Some(known) = self.by_der.get(der) {
            return Some(*known);
        }
        let certificate = Certificate::from_der(der).ok()?;
        let index = self.certificates.len();
        if index == self.max_candidates {
            return None;
        }
        self.by_der.insert(der, index);
        let namesakes = self.by_subject.entry(certificate.subject()).or_default();
        namesakes.push(index);
        self.certificates.push(certificate);
        Some(index)
    }

    /// Adds revocation data, and the certificates that come along.
    pub(crate) fn add_revocation(
        &mut self,
        der: &'d [u8],
        place: Option<usize>,
    ) -> Result<(), Error> {
        if self.data_by_der.contains_key(der) || self.data.len() == self.max_candidates {
            return Ok(());
        }
        let parsed = RevocationData::parse(der)?;
        for certificate in parsed.certificates() {
            self.add_certificate(certificate);
        }
        self.data_by_der.insert(der, self.data.len());
        self.data.push(Datum { der, parsed, place });
        Ok(())
    }

    /// Has chains end with certificates whose issuers are not there.
    pub(crate) fn mark_anchors(&mut self, is_anchor: impl Fn(&Certificate<'_>) -> bool) {
        let certificates = self.certificates.iter().enumerate();
        self.anchors = certificates
            .filter(|(_, certificate)| is_anchor(certificate))
            .map(|(index, _)| index)
            .collect();
    }

    /// A certificate by its index.
    pub(crate) fn certificate(&self, index: usize) -> &Certificate<'d> {
        self.certificates
            .get(index)
            .expect("indices come from this material, which only grows")
    }

    /// Revocation data by their index.
    pub(crate) fn datum(&self, index: usize) -> &Datum<'d> {
        self.data
            .get(index)
            .expect("indices come from this material, which only grows")
    }

    /// The index of revocation data.
    pub(crate) fn index_of_datum(&self, der: &[u8]) -> Option<usize> {
        self.data_by_der.get(der).copied()
    }

    /// The index of a certificate.
    pub(super) fn index_of(&self, der: &[u8]) -> Option<usize> {
        self.by_der.get(der).copied()
    }

    /// The certificate of the one who signed, whether it comes with the
    /// signature or not.
    pub(super) fn signer_of(&self, signed_data: &SignedData) -> Option<usize> {
        if let Some(own) = signed_data.signer_certificate() {
            return self.index_of(own);
        }
        self.certificates.iter().position(|certificate| {
            self.environment.spend_bytes(certificate.as_der().len())
                && signed_data.names_signer(certificate.as_der())
        })
    }

    /// Whether somebody signed what the signature itself holds.
    pub(super) fn holds(&self, signed_data: &SignedData, signer: usize) -> bool {
        signed_data.holds(&self.environment, self.certificate(signer))
    }

    /// Whether somebody said that a chain ends with a certificate.
    pub(super) fn is_marked_anchor(&self, index: usize) -> bool {
        self.anchors.contains(&index)
    }

    /// Whether the security store has a certificate.
    pub(crate) fn is_stored(&self, index: usize) -> bool {
        self.stored.contains(&index)
    }

    /// The issuer's certificate: itself for one that is self-signed, else that
    /// of an authority, a self-signed one before others.
    pub(super) fn issuer_of(&self, index: usize) -> Option<usize> {
        if let Some(known) = self.issuers.borrow().get(&index) {
            return *known;
        }
        let certificate = self.certificate(index);
        let namesakes = self.by_subject.get(certificate.issuer());
        let mut candidates = namesakes.cloned().unwrap_or_default();
        candidates.sort_by_key(|candidate| {
            let found = self.certificate(*candidate);
            (*candidate != index, found.issuer() != found.subject())
        });
        let issuer = candidates.into_iter().find(|candidate| {
            let found = self.certificate(*candidate);
            (*candidate == index || found.is_authority())
                && certificate.is_issued_by(&self.environment, found)
        });
        self.issuers.borrow_mut().insert(index, issuer);
        issuer
    }

    /// Data that say that they tell about a certificate, the newest few.
    pub(super) fn data_about(&self, certificate: usize, issuer: usize) -> Rc<[usize]> {
        if let Some(known) = self.data_about.borrow().get(&certificate) {
            return Rc::clone(known);
        }
        let (subject, authority) = (self.certificate(certificate), self.certificate(issuer));
        let data = self.data.iter().enumerate();
        let data: Vec<usize> = data
            .filter(|(_, datum)| datum.parsed.is_about(subject, authority))
            .map(|(index, _)| index)
            .collect();
        let newest = data.len().saturating_sub(MAX_DATA_ABOUT_ONE);
        let data: Rc<[usize]> = data.get(newest..).unwrap_or_default().into();
        let mut known = self.data_about.borrow_mut();
        known.insert(certificate, Rc::clone(&data));
        data
    }

    /// What revocation data tell about a certificate.
    pub(crate) fn status(&self, datum: usize, certificate: usize, issuer: usize) -> KnownStatus {
        if let Some(known) = self.statuses.borrow().get(&(datum, certificate)) {
            return Rc::clone(known);
        }
        let others = self.certificates.iter().map(Certificate::as_der);
        let others = others.filter(|der| self.environment.spend_bytes(der.len()));
        let status = Rc::new(self.datum(datum).parsed.status(
            &self.environment,
            self.certificate(certificate),
            self.certificate(issuer),
            others,
        ));
        let mut statuses = self.statuses.borrow_mut();
        statuses.insert((datum, certificate), Rc::clone(&status));
        status
    }
}
