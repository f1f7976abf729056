//! Nothing: this package is never built, its lock file says what the bundle holds.
