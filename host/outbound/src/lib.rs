//! The vetted way out: HTTP to configured or certificate-named hosts.
