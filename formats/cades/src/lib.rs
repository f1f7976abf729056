//! CMS signatures of the CAdES and PAdES baseline profiles.
