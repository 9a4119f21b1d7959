-- the rejections of a reviewer, for what became of them
create index decisions_of_reviewer on decisions (actor, valid_from) where source = 'review';
