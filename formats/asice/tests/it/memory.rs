//! What of a container comes into the memory of a plugin.

use std::cell::Cell;
use std::rc::Rc;

use parafa_fixtures::signed::container::manifest;
use parafa_fixtures::{Zip, ZipMember, noise};
use parafa_format_asice::{inspect, members, sign, verify};
use parafa_format_core::{
    Blob, Environment, HashFunction, Hasher, MemoryBlob, MemorySink, NativeEnvironment,
    NativeHasher, SignatureAlgorithm, Sink, Step,
};

use crate::ceremony::{MEDIA_TYPE, P256};

/// The environment of this process, with what is read of documents counted.
struct Counting(Rc<Cell<u64>>);

struct CountingBlob(MemoryBlob, Rc<Cell<u64>>);

struct CountingHasher(NativeHasher);

struct CountingSink(MemorySink);

impl Blob for CountingBlob {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read(&self, offset: u64, len: u32) -> Vec<u8> {
        let bytes = self.0.read(offset, len);
        self.1.set(self.1.get() + bytes.len() as u64);
        bytes
    }
}

impl Hasher<CountingBlob> for CountingHasher {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn update_blob(&mut self, source: &CountingBlob, offset: u64, len: u64) {
        self.0.update_blob(&source.0, offset, len);
    }

    fn update_inflated(
        &mut self,
        source: &CountingBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String> {
        self.0.update_inflated(&source.0, offset, len, most)
    }

    fn finish(self) -> Vec<u8> {
        self.0.finish()
    }
}

impl Sink<CountingBlob> for CountingSink {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn copy(&mut self, source: &CountingBlob, offset: u64, len: u64) {
        self.0.copy(&source.0, offset, len);
    }

    fn copy_inflated(
        &mut self,
        source: &CountingBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<u64, String> {
        self.0.copy_inflated(&source.0, offset, len, most)
    }
}

impl Environment for Counting {
    type Blob = CountingBlob;
    type Hasher = CountingHasher;

    fn hasher(&self, function: HashFunction) -> CountingHasher {
        CountingHasher(NativeEnvironment.hasher(function))
    }

    fn inflate(
        &self,
        source: &CountingBlob,
        offset: u64,
        len: u64,
        most: u64,
    ) -> Result<CountingBlob, String> {
        let inflated = NativeEnvironment.inflate(&source.0, offset, len, most)?;
        Ok(CountingBlob(inflated, Rc::clone(&self.0)))
    }

    fn verify(
        &self,
        spki: &[u8],
        algorithm: SignatureAlgorithm,
        digest: &[u8],
        signature: &[u8],
    ) -> Result<bool, String> {
        NativeEnvironment.verify(spki, algorithm, digest, signature)
    }
}

/// One stored and one deflated member, 15 MiB.
fn large() -> Vec<u8> {
    const HALF: usize = 7_800_000;

    let named = manifest([("a.bin", "t/p"), ("b.bin", "t/p")]);
    Zip::of([
        ZipMember::stored("mimetype", MEDIA_TYPE.as_bytes()),
        ZipMember::stored("META-INF/manifest.xml", named.as_bytes()),
        ZipMember::stored("a.bin", &noise(HALF, 1)),
        ZipMember::deflated("b.bin", &noise(HALF, 2)),
    ])
    .build()
}

#[test]
fn files_are_hashed_where_they_are() {
    const MOST_READ: u64 = 512 * 1024;

    let read = Rc::new(Cell::new(0));
    let environment = Counting(Rc::clone(&read));
    let document = CountingBlob(MemoryBlob(large()), Rc::clone(&read));
    let request = P256.request("B-B", &["a.bin".to_owned(), "b.bin".to_owned()]);
    let mut answers = Vec::new();
    let signed = loop {
        let mut sink = CountingSink(MemorySink::default());
        let step = sign(&environment, &document, &request, &answers, &mut sink).unwrap();
        let Step::Needs(needs) = step else {
            break sink.0.0;
        };
        let payload = needs[0].payload.as_bytes().unwrap();
        let value = P256.holder.sign(P256.algorithm, payload);
        answers.push(needs[0].answer(Ok(value)));
    };
    let signed = CountingBlob(MemoryBlob(signed), Rc::clone(&read));
    assert_eq!(inspect(&environment, &signed).unwrap().obstacles, []);
    assert_eq!(members(&environment, &signed).unwrap().len(), 2);
    assert_eq!(verify(&environment, &signed).unwrap().signatures.len(), 1);

    assert!(document.len() > 15_000_000);
    // Of each of the five calls the tail in which the end record is looked for.
    assert!(read.get() < MOST_READ, "{} bytes were read", read.get());
}
