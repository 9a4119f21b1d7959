/** The scripts of the library. */
import "../lists/filters.js";
import "../lists/row-keys.js";
import "../upload/upload.js";
