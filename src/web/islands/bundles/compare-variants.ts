/** The scripts of a variant set's page, with the viewers that compare what was picked. */
import "../review/variant-set.js";
import "../review/viewer.js";
import "../review/pdf.js";
