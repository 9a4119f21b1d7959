/** The scripts of the feed, which is live. */
import "../live/feed.js";
import "../lists/row-keys.js";
