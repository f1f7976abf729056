//! Bounds on what callers may ask for.

use std::ops::RangeInclusive;

use parafa_api_http::MIB;

use crate::vocabulary::SigningMethod;

/// Largest document, and largest sum of a container's files, in bytes.
pub(crate) const LARGEST_DOCUMENT: usize = 15 * MIB;
/// Longest title, in characters.
pub(crate) const LONGEST_TITLE: usize = 255;
/// Longest reference of the caller's own, in characters.
pub(crate) const LONGEST_EXTERNAL_ID: usize = 120;
/// Longest file name, in characters.
pub(crate) const LONGEST_FILE_NAME: usize = 255;
/// Longest name of a party, in characters.
pub(crate) const LONGEST_NAME: usize = 500;
/// Longest reason of a decline, in characters.
pub const LONGEST_REASON: usize = 500;
/// Longest comment, in characters.
pub(crate) const LONGEST_COMMENT: usize = 4000;
/// Longest name of a comment's writer, in characters.
pub(crate) const LONGEST_AUTHOR_LABEL: usize = 120;
/// Digits of a Lithuanian personal code.
pub(crate) const PERSONAL_CODE_DIGITS: usize = 11;
/// Parties of one signing.
pub(crate) const SIGNERS: RangeInclusive<usize> = 1..=20;
/// Methods of one signer.
pub(crate) const METHODS: RangeInclusive<usize> = 1..=SigningMethod::EVERY.len();
/// Files of a new container.
pub(crate) const FILES: RangeInclusive<usize> = 1..=20;
/// Documents of one batch.
pub(crate) const DOCUMENTS: RangeInclusive<usize> = 1..=20;
/// Days until the hard deadline.
pub(crate) const EXPIRES_IN_DAYS: RangeInclusive<u16> = 1..=30;
/// Days until the hard deadline, where the caller does not say.
pub(crate) const DEFAULT_EXPIRES_IN_DAYS: u16 = 14;
/// Days until the soft deadline.
pub(crate) const SOFT_DEADLINE_IN_DAYS: RangeInclusive<u16> = 1..=365;
