use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use parafa_format_core::{DigestAlgorithm, Environment, SignatureAlgorithm};
use parafa_pki::{
    Certificate, CertificateStatus, Error, Issuer, RevocationData, RevocationError,
    RevocationSigner, SignedData, Subjects,
};
use sha2::{Digest, Sha256};

use crate::budget::Budget;

/// Maximum length of a certificate in a chain, in bytes: names and keys are
/// compared repeatedly.
const MAX_CERTIFICATE_BYTES: usize = 64 * 1024;

/// Place of material that is not yet in the document.
pub const NOWHERE: usize = usize::MAX;

/// Available certificates and revocation data, without duplicates. Results
/// about them are cached.
#[derive(Debug)]
pub struct ValidationMaterial<'d, E> {
    environment: &'d Budget<'d, E>,
    certificates: Vec<Link<'d>>,
    by_der: BTreeMap<&'d [u8], usize>,
    by_subject: BTreeMap<&'d [u8], Vec<usize>>,
    /// Certificates that may sign OCSP responses.
    responders: Vec<usize>,
    data: Vec<RevocationEntry<'d>>,
    data_by_der: BTreeMap<&'d [u8], usize>,
    responses_by_serial: BTreeMap<&'d [u8], Vec<usize>>,
    lists_by_issuer: BTreeMap<&'d [u8], Vec<usize>>,
    anchors: BTreeSet<usize>,
    stored: BTreeSet<usize>,
    /// Issuer by certificate.
    issuers: Known<usize, Option<usize>>,
    /// Revocation data by certificate and issuer.
    data_about: Known<(usize, usize), Rc<[usize]>>,
    /// Signer by data and issuer.
    signers: Known<(usize, usize), KnownSigner>,
    /// Status by data, certificate and issuer.
    statuses: Known<(usize, usize, usize), KnownStatus>,
    /// Validity by signature and signer.
    held: Known<([u8; 32], usize), Option<bool>>,
}

/// Cached results.
type Known<K, V> = RefCell<BTreeMap<K, V>>;

type KnownSigner = Rc<Option<RevocationSigner>>;

type KnownStatus = Rc<Result<CertificateStatus, RevocationError>>;

/// A certificate, possibly an issuer's.
#[derive(Debug)]
struct Link<'d> {
    issuer: Issuer<'d>,
    /// Its earliest place in the document.
    place: usize,
}

/// Revocation data.
#[derive(Debug)]
pub struct RevocationEntry<'d> {
    /// DER, as read.
    pub der: &'d [u8],
    /// Parsed form.
    pub parsed: RevocationData<'d>,
    /// Place in the document, or [`NOWHERE`].
    pub place: usize,
}

impl<'d, E: Environment> ValidationMaterial<'d, E> {
    /// Creates empty material.
    #[must_use]
    pub fn new(environment: &'d Budget<'d, E>) -> Self {
        Self {
            environment,
            certificates: Vec::new(),
            by_der: BTreeMap::new(),
            by_subject: BTreeMap::new(),
            responders: Vec::new(),
            data: Vec::new(),
            data_by_der: BTreeMap::new(),
            responses_by_serial: BTreeMap::new(),
            lists_by_issuer: BTreeMap::new(),
            anchors: BTreeSet::new(),
            stored: BTreeSet::new(),
            issuers: RefCell::default(),
            data_about: RefCell::default(),
            signers: RefCell::default(),
            statuses: RefCell::default(),
            held: RefCell::default(),
        }
    }

    /// Adds stored validation material with its places, in addition to that in
    /// signatures and time-stamps. Unreadable data is ignored.
    pub fn add_stored(
        &mut self,
        certificates: impl Iterator<Item = (&'d [u8], usize)>,
        revocation: impl Iterator<Item = (&'d [u8], usize)>,
    ) {
        for (der, place) in certificates {
            let index = self.add_certificate(der, place);
            self.stored.extend(index);
        }
        for (der, place) in revocation {
            let _ = self.add_revocation(der, place);
        }
    }

    /// Adds a certificate; `None` if it is unreadable or too long, or if there
    /// are too many, which exhausts the budget.
    pub fn add_certificate(&mut self, der: &'d [u8], place: usize) -> Option<usize> {
        if let Some(known) = self.by_der.get(der) {
            let link = self.certificates.get_mut(*known)?;
            link.place = link.place.min(place);
            return Some(*known);
        }
        if self.certificates.len() == self.environment.candidates() {
            self.environment.exhaust();
            return None;
        }
        if der.len() > MAX_CERTIFICATE_BYTES {
            return None;
        }
        let certificate = Certificate::from_der(der).ok()?;
        let index = self.certificates.len();
        self.by_der.insert(der, index);
        let namesakes = self.by_subject.entry(certificate.subject()).or_default();
        namesakes.push(index);
        if certificate.may_sign_ocsp_responses() {
            self.responders.push(index);
        }
        self.certificates.push(Link {
            issuer: Issuer::new(certificate),
            place,
        });
        Some(index)
    }

    /// Adds revocation data with its certificates.
    pub(crate) fn add_revocation(&mut self, der: &'d [u8], place: usize) -> Result<(), Error> {
        if let Some(known) = self.data_by_der.get(der).copied() {
            self.find_earlier(known, place);
            return Ok(());
        }
        if self.data.len() == self.environment.candidates() {
            self.environment.exhaust();
            return Ok(());
        }
        let parsed = RevocationData::parse(der)?;
        for certificate in parsed.certificates() {
            self.add_certificate(certificate, place);
        }
        let index = self.data.len();
        match parsed.subjects() {
            Subjects::SerialNumbers(numbers) => {
                for number in BTreeSet::from_iter(numbers) {
                    let responses = self.responses_by_serial.entry(number).or_default();
                    responses.push(index);
                }
            }
            Subjects::IssuedBy(name) => self.lists_by_issuer.entry(name).or_default().push(index),
        }
        self.data_by_der.insert(der, index);
        self.data.push(RevocationEntry { der, parsed, place });
        Ok(())
    }

    /// Records another place of known revocation data.
    fn find_earlier(&mut self, known: usize, place: usize) {
        let Some(datum) = self.data.get_mut(known) else {
            return;
        };
        if place < datum.place {
            datum.place = place;
            for certificate in datum.parsed.certificates().to_vec() {
                self.add_certificate(certificate, place);
            }
        }
    }

    /// Marks certificates as confirmed anchors, where chains may end without
    /// the issuer.
    pub(crate) fn mark_anchors(&mut self, is_anchor: impl Fn(&Certificate<'_>) -> bool) {
        let certificates = self.certificates.iter().enumerate();
        self.anchors = certificates
            .filter(|(_, link)| is_anchor(link.issuer.certificate()))
            .map(|(index, _)| index)
            .collect();
    }

    /// Returns whether the work limits of the document were exceeded. All
    /// results are meaningless then.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.environment.is_exhausted()
    }

    /// Returns a certificate by index.
    #[must_use]
    pub fn certificate(&self, index: usize) -> &Certificate<'d> {
        self.link(index).issuer.certificate()
    }

    /// Returns the place of a certificate in the document, or [`NOWHERE`].
    #[must_use]
    pub fn place_of(&self, index: usize) -> usize {
        self.link(index).place
    }

    /// Returns revocation data by index.
    #[must_use]
    pub fn datum(&self, index: usize) -> &RevocationEntry<'d> {
        self.data
            .get(index)
            .expect("indices come from this material, which only grows")
    }

    /// Returns the index of revocation data.
    pub(crate) fn index_of_datum(&self, der: &[u8]) -> Option<usize> {
        self.data_by_der.get(der).copied()
    }

    /// Returns the index of a certificate.
    pub(crate) fn index_of(&self, der: &[u8]) -> Option<usize> {
        self.by_der.get(der).copied()
    }

    /// Returns the signer certificate, embedded in the signature or not.
    pub(crate) fn signer_of(&self, signed_data: &SignedData) -> Option<usize> {
        if let Some(own) = signed_data.signer_certificate() {
            return self.index_of(own);
        }
        self.certificates.iter().position(|link| {
            let der = link.issuer.certificate().as_der();
            self.environment.spend_bytes(der.len()) && signed_data.names_signer(der)
        })
    }

    /// Returns whether `signer` signed the encapsulated content of a signature;
    /// `None` if unknown. This is exempt from the budget, because time-stamps
    /// are few.
    pub(crate) fn holds(&self, signed_data: &SignedData, signer: usize) -> Option<bool> {
        let key = (fingerprint(signed_data), signer);
        if let Some(known) = self.held.borrow().get(&key) {
            return *known;
        }
        let holds = signed_data.holds(self.environment.unlimited(), self.certificate(signer));
        self.held.borrow_mut().insert(key, holds);
        holds
    }

    /// Returns whether a certificate was confirmed as an anchor.
    #[must_use]
    pub fn is_marked_anchor(&self, index: usize) -> bool {
        self.anchors.contains(&index)
    }

    /// Returns whether a certificate is in the store.
    #[must_use]
    pub fn is_stored(&self, index: usize) -> bool {
        self.stored.contains(&index)
    }

    /// Returns the issuer's certificate: itself if self-signed, or else that of
    /// an authority, preferring a self-signed one.
    pub(crate) fn issuer_of(&self, index: usize) -> Option<usize> {
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
            (*candidate == index || found.may_issue_certificates())
                && certificate.is_issued_by(self.environment, found)
        });
        self.issuers.borrow_mut().insert(index, issuer);
        issuer
    }

    /// Returns data that claims to cover a certificate.
    pub(crate) fn data_about(&self, certificate: usize, issuer: usize) -> Rc<[usize]> {
        let key = (certificate, issuer);
        if let Some(known) = self.data_about.borrow().get(&key) {
            return Rc::clone(known);
        }
        let (subject, authority) = (self.certificate(certificate), &self.link(issuer).issuer);
        let responses = self.responses_by_serial.get(subject.serial_number());
        let lists = self.lists_by_issuer.get(authority.certificate().subject());
        let candidates = responses.into_iter().chain(lists).flatten().copied();
        let data: Rc<[usize]> = candidates
            .filter(|datum| {
                let parsed = &self.datum(*datum).parsed;
                parsed.is_about(self.environment, subject, authority)
            })
            .collect();
        let mut known = self.data_about.borrow_mut();
        known.insert(key, Rc::clone(&data));
        data
    }

    /// Returns the status of a certificate in revocation data.
    pub(crate) fn status(&self, datum: usize, certificate: usize, issuer: usize) -> KnownStatus {
        let key = (datum, certificate, issuer);
        if let Some(known) = self.statuses.borrow().get(&key) {
            return Rc::clone(known);
        }
        let data = self.datum(datum);
        let status = if self.environment.spend_bytes(data.der.len()) {
            data.parsed.status(
                self.environment,
                self.certificate(certificate),
                &self.link(issuer).issuer,
                self.signer(datum, issuer).as_ref().as_ref(),
            )
        } else {
            Err(RevocationError::Signature)
        };
        let status = Rc::new(status);
        let mut statuses = self.statuses.borrow_mut();
        statuses.insert(key, Rc::clone(&status));
        status
    }

    /// Returns the delegate of an issuer that signed revocation data.
    pub(crate) fn delegate(&self, datum: usize, issuer: usize) -> Option<usize> {
        match self.signer(datum, issuer).as_ref() {
            Some(RevocationSigner::Delegate(der)) => self.index_of(der),
            Some(RevocationSigner::Issuer) | None => None,
        }
    }

    /// Returns the signer of revocation data, if authorized for certificates of
    /// the issuer.
    fn signer(&self, datum: usize, issuer: usize) -> KnownSigner {
        let key = (datum, issuer);
        if let Some(known) = self.signers.borrow().get(&key) {
            return Rc::clone(known);
        }
        let others = self.responders.iter().map(|index| self.certificate(*index));
        let others = others
            .map(Certificate::as_der)
            .filter(|der| self.environment.spend_bytes(der.len()));
        let authority = &self.link(issuer).issuer;
        let parsed = &self.datum(datum).parsed;
        let signer = parsed.signer(self.environment, authority, others);
        let signer = Rc::new(signer.filter(|signer| self.comes_whole(datum, issuer, signer)));
        let mut signers = self.signers.borrow_mut();
        signers.insert(key, Rc::clone(&signer));
        signer
    }

    /// Returns whether a response has no certificates, or all are unmodified
    /// and the delegate's is among them. The list is unsigned, and the same
    /// certificates may be elsewhere. But a modified one cannot be part of
    /// valid evidence, and the EU's validator rejects such a response.
    fn comes_whole(&self, datum: usize, issuer: usize, signer: &RevocationSigner) -> bool {
        let own = self.datum(datum).parsed.certificates();
        let comes_with_signer = match signer {
            RevocationSigner::Delegate(der) => own.is_empty() || own.contains(&der.as_slice()),
            RevocationSigner::Issuer => true,
        };
        let mut are_whole = own.iter().map(|der| {
            let Some(index) = self.index_of(der) else {
                return false;
            };
            let is_issued = index == issuer || self.issuer_of(index).is_some();
            // Without the issuer's certificate this is unknown.
            is_issued
                || !self
                    .by_subject
                    .contains_key(self.certificate(index).issuer())
        });
        comes_with_signer && are_whole.all(|is_whole| is_whole)
    }

    fn link(&self, index: usize) -> &Link<'d> {
        self.certificates
            .get(index)
            .expect("indices come from this material, which only grows")
    }
}

/// Digests everything that decides the validity of a signature over its own
/// content.
fn fingerprint(signed_data: &SignedData) -> [u8; 32] {
    let digested = signed_data.digest_algorithm();
    let signed = signed_data.signature_algorithm();
    let content_type = signed_data.content_type();
    let parts = [
        digested.map_or("", DigestAlgorithm::name).as_bytes(),
        signed.map_or("", SignatureAlgorithm::name).as_bytes(),
        content_type.as_bytes(),
        signed_data.content().unwrap_or_default(),
        signed_data.signed_attributes().unwrap_or_default(),
        signed_data.value(),
    ];
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}
