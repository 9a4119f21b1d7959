/** The scripts of the review desk for people with a share link. */
import "../annotate/annotate.js";
import "../review/guest-queue.js";
import "../review/viewer.js";
import "../compare/compare.js";
import "../review/pdf.js";
