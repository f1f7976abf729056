use crate::openapi::schema::{Schema, optional, required};

/// RFC 9457, 3.1, with the contract's own members.
pub(super) fn problem() -> Schema {
    let fault = Schema::object([
        required(
            "pointer",
            Schema::string().described(
                "Where, as a JSON Pointer (RFC 6901) into the request body, or into the query read as a flat object.",
            ),
        ),
        required("detail", Schema::string().described("What is wrong there.")),
    ]);
    Schema::object([
        required(
            "type",
            Schema::uri().described("What kind of problem it is; the address of a page on it."),
        ),
        required("title", Schema::string()),
        required(
            "status",
            Schema::integer(&(400..=599)).described("The status of the answer."),
        ),
        required(
            "detail",
            Schema::string().described("A sentence about this occurrence."),
        ),
        optional(
            "errors",
            Schema::array(fault)
                .described("All faults of the request, in the order in which they stand there."),
        ),
        optional(
            "recoveryUrl",
            Schema::string()
                .with("format", "uri-reference")
                .described("A page on which a person can settle what is due."),
        ),
    ])
    .described("A refusal (RFC 9457).")
}
