/** The script in the head of the review desk. */
import "../review/left-early.js";
