//! What the allocator is told before anything is allocated that counts.

/// Size from which a piece of memory is the system's again once it is freed, in
/// bytes: documents and the bodies that they come in, and no rows.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const GIVEN_BACK: i32 = 1024 * 1024;
/// Free memory at the end of an arena that is kept for what comes next, in bytes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT: i32 = 4 * 1024 * 1024;

/// Has documents leave no memory behind. By itself glibc raises the size from
/// which it gives memory back to that of the largest piece that was ever freed, up
/// to 32 MiB, and keeps twice as much free in each arena: after some uploads at
/// once every arena keeps documents that are long gone, and a buffer that grows is
/// copied where the system would have moved it (mallopt(3)).
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "mallopt has no safe form; it sets two numbers of the allocator"
)]
pub(crate) fn give_documents_back() {
    // SAFETY: mallopt takes and keeps no pointers, and may be called at any time; a
    // number that it refuses leaves the default.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, GIVEN_BACK);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
    }
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_documents_back() {}
