/** The scripts of the page that reviews many assets, in one file. */
import "../review/bulk-review.js";
