/** The scripts of the library for reviewers of a page with pending assets. */
import "../lists/filters.js";
import "../lists/row-keys.js";
import "../review/bulk.js";
import "../upload/upload.js";
