"use strict";
// Search would need a worker from an address that pages here may not use.
Redoc.init(
  document.getElementById("main").dataset.description,
  {
    disableSearch: true,
    hideLoading: true,
    nativeScrollbars: true,
    scrollYOffset: ".bar",
    expandResponses: "200,201",
    theme: {
      colors: {
        primary: { main: "#14532d" },
        text: { primary: "#16202c", secondary: "#4a5666" },
        http: { get: "#14532d", post: "#1b4d89", put: "#6b4a00", patch: "#6b4a00", delete: "#9b1c1c" },
      },
      typography: { fontFamily: "system-ui, sans-serif", headings: { fontFamily: "system-ui, sans-serif" }, code: { color: "#9b1c1c" } },
    },
  },
  document.getElementById("reference"),
);
