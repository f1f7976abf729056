//! Transactional records, byte files, data keys, leases and jobs.
