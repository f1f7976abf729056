//! Limits on requests.

use std::ops::RangeInclusive;

use parafa_api_http::MIB;

use crate::vocabulary::SigningMethod;

/// Largest document, and largest sum of a container's files, in bytes.
pub(super) const LARGEST_DOCUMENT: usize = 15 * MIB;
/// Longest title, in characters.
pub(super) const LONGEST_TITLE: usize = 255;
/// Longest reference of the caller's own, in characters.
pub(super) const LONGEST_EXTERNAL_ID: usize = 120;
/// Longest file name, in characters.
pub(super) const LONGEST_FILE_NAME: usize = 255;
/// Longest name of a party, in characters.
pub(super) const LONGEST_NAME: usize = 500;
/// Longest reason of a decline, in characters.
pub(super) const LONGEST_REASON: usize = 500;
/// Longest comment, in characters.
pub(super) const LONGEST_COMMENT: usize = 4000;
/// Longest name of a comment's writer, in characters.
pub(super) const LONGEST_AUTHOR_LABEL: usize = 120;
/// Digits of a Lithuanian personal code.
pub(super) const PERSONAL_CODE_DIGITS: usize = 11;
/// Parties of one signing.
pub(super) const SIGNERS: RangeInclusive<usize> = 1..=20;
/// Methods of one signer.
pub(super) const METHODS: RangeInclusive<usize> = 1..=SigningMethod::EVERY.len();
/// Files of a new container.
pub(super) const FILES: RangeInclusive<usize> = 1..=20;
/// Documents of one batch.
pub(super) const DOCUMENTS: RangeInclusive<usize> = 1..=20;
/// Days until the hard deadline.
pub(super) const EXPIRES_IN_DAYS: RangeInclusive<u16> = 1..=30;
/// Days until the hard deadline by default.
pub(super) const DEFAULT_EXPIRES_IN_DAYS: u16 = 14;
/// Days until the soft deadline.
pub(super) const SOFT_DEADLINE_IN_DAYS: RangeInclusive<u16> = 1..=365;
