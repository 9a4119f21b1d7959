/** The controls of the viewers. */
import "../media/page-widths.js";
import "../media/players.js";
import "../media/zoom.js";
