-- pages of decisions, newest first, of one project and of all; whether a decision has ended is read from the index
create index decisions_project on decisions (project, valid_from, id, valid_until);
--> statement-breakpoint
create index decisions_newest on decisions (valid_from, id, valid_until);
--> statement-breakpoint
-- the decision that replaced another
create index decisions_supersedes on decisions (supersedes) where supersedes is not null;
