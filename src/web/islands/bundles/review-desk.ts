/** The scripts of the review desk, in one file: a page of its own would ask for forty. */
import "../annotate/annotate.js";
import "../review/desk.js";
import "../upload/upload.js";
import "../compare/compare.js";
import "../review/pdf.js";
