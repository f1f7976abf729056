// A client of Parafa's three APIs: signing, due diligence and authentication.

export * from "./answers.js";
export * from "./authentication.js";
export type * from "./calls.js";
export * from "./client.js";
export * from "./diligence.js";
export * from "./problems.js";
export * from "./signing.js";
export * from "./webhooks.js";
export type * as authentication from "./api/authentication.js";
export type * as diligence from "./api/diligence.js";
export type * as signing from "./api/signing.js";
