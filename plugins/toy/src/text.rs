//! The signed text in memory as a document, for the functions of the text format: it is separate
//! from the toy's other content.

use parafa_plugin_sdk::core::{Blob, Environment, HashFunction, Hasher, SignatureAlgorithm, Sink};

/// A text.
pub(crate) struct Text(pub(crate) Vec<u8>);

/// The environment for texts in memory as documents.
pub(crate) struct OverTexts<'e, E>(pub(crate) &'e E);

/// A digest that the host computes.
pub(crate) struct TextHasher<E: Environment>(E::Hasher);

impl Text {
    fn part(&self, offset: u64, len: u64) -> &[u8] {
        let place = |at: u64| usize::try_from(at.min(self.len())).unwrap_or(usize::MAX);
        &self.0[place(offset)..place(offset.saturating_add(len))]
    }
}

impl Blob for Text {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, offset: u64, len: u32) -> Vec<u8> {
        self.part(offset, len.into()).to_vec()
    }
}

impl<E: Environment> Environment for OverTexts<'_, E> {
    type Blob = Text;
    type Hasher = TextHasher<E>;

    fn hasher(&self, function: HashFunction) -> TextHasher<E> {
        TextHasher(self.0.hasher(function))
    }

    fn inflate(&self, _: &Text, _: u64, _: u64, _: u64) -> Result<Text, String> {
        nothing_is_deflated()
    }

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        self.0.verify(spki, algorithm, digest, signature)
    }
}

impl<E: Environment> Hasher<Text> for TextHasher<E> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn update_blob(&mut self, source: &Text, offset: u64, len: u64) {
        self.0.update(source.part(offset, len));
    }

    fn update_inflated(&mut self, _: &Text, _: u64, _: u64, _: u64) -> Result<u64, String> {
        nothing_is_deflated()
    }

    fn finish(self) -> Vec<u8> {
        self.0.finish()
    }
}

impl Sink<Text> for Text {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn copy(&mut self, source: &Text, offset: u64, len: u64) {
        self.write(source.part(offset, len));
    }

    fn copy_inflated(&mut self, _: &Text, _: u64, _: u64, _: u64) -> Result<u64, String> {
        nothing_is_deflated()
    }
}

fn nothing_is_deflated<T>() -> Result<T, String> {
    Err("a text has no deflated part".to_owned())
}
