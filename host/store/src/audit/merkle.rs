//! Merkle trees as hashed by RFC 6962, 2.1: leaves and nodes have different prefix
//! bytes, and a tree is split at the largest power of two below its size.

use sha2::{Digest, Sha256};

use crate::hex_bytes::Sha256Digest;

const LEAF: u8 = 0;
const NODE: u8 = 1;

/// Returns the hash of a leaf.
pub(super) fn leaf(data: &[u8]) -> Sha256Digest {
    let mut hasher = Sha256::new();
    hasher.update([LEAF]);
    hasher.update(data);
    hasher.finalize().into()
}

/// Returns the root over the hashes of leaves, or over the roots of equal, complete
/// subtrees. Each subtree has a power of two leaves; only the last may have fewer.
pub(super) fn root(hashes: &[Sha256Digest]) -> Sha256Digest {
    match hashes {
        [] => Sha256Digest::of(&[]),
        [only] => *only,
        _ => {
            let (left, right) = hashes.split_at(split(hashes.len()));
            node(&root(left), &root(right))
        }
    }
}

/// Returns the audit path from one of these hashes to their root, the lowest first.
pub(super) fn path(hashes: &[Sha256Digest], index: usize) -> Vec<Sha256Digest> {
    if hashes.len() < 2 {
        return Vec::new();
    }
    let (left, right) = hashes.split_at(split(hashes.len()));
    let (mut below, beside) = if index < left.len() {
        (path(left, index), root(right))
    } else {
        (path(right, index - left.len()), root(left))
    };
    below.push(beside);
    below
}

fn node(left: &Sha256Digest, right: &Sha256Digest) -> Sha256Digest {
    let mut hasher = Sha256::new();
    hasher.update([NODE]);
    hasher.update(left.as_bytes());
    hasher.update(right.as_bytes());
    hasher.finalize().into()
}

/// Returns the largest power of two below a size of at least two.
fn split(size: usize) -> usize {
    1 << (size - 1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leaves from the tests of Certificate Transparency's own implementation.
    const LEAVES: [&str; 8] = [
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    ];
    /// Roots over the first leaf, the first two, and so on.
    const ROOTS: [&str; 8] = [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    fn leaves() -> Vec<Sha256Digest> {
        let data = LEAVES.iter().map(|data| hex::decode(data).expect("digits"));
        data.map(|data| leaf(&data)).collect()
    }

    fn digest(digits: &str) -> Sha256Digest {
        digits.parse().expect("a digest")
    }

    #[test]
    fn a_tree_without_leaves_has_the_hash_of_nothing() {
        assert_eq!(
            root(&[]),
            digest("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        );
    }

    #[test]
    fn the_roots_are_those_of_certificate_transparency() {
        let leaves = leaves();
        for (size, expected) in (1..).zip(ROOTS) {
            assert_eq!(root(&leaves[..size]), digest(expected), "{size} leaves");
        }
    }

    #[test]
    fn a_path_is_that_of_certificate_transparency() {
        let expected = [
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ];

        assert_eq!(path(&leaves(), 5), expected.map(digest));
        assert!(path(&leaves()[..1], 0).is_empty());
    }

    #[test]
    fn parts_of_a_tree_make_the_root_and_the_paths_of_the_whole() {
        const PART: usize = 4;

        for size in 1..=40_u32 {
            let leaves: Vec<_> = (0..size).map(|at| leaf(&at.to_be_bytes())).collect();
            let parts: Vec<_> = leaves.chunks(PART).map(root).collect();

            assert_eq!(root(&parts), root(&leaves), "{size} leaves");
            for at in 0..leaves.len() {
                let (part, within) = (at / PART, at % PART);
                let part_leaves = leaves.chunks(PART).nth(part).expect("a part");
                let joined = [path(part_leaves, within), path(&parts, part)].concat();
                assert_eq!(joined, path(&leaves, at), "leaf {at} of {size}");
            }
        }
    }
}
