/** The scripts of Today. */
import "../inbox/today.js";
