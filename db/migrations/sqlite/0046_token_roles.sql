-- `role`: the role that a token was given; null: it was created with scopes, or before this column.
-- `created_with`: the hashes of the tokens that created the link of a session, with each of which it ends
alter table tokens add column role text;
--> statement-breakpoint
alter table sessions add column created_with text;
