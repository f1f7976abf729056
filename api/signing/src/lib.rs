//! The HTTP contract of the signing orchestration API.
