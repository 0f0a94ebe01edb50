-- corpus.publish_claims
-- Publish the versions of claimed tasks and finish the tasks, all or none; who lost a claim publishes nothing.
--
-- What goes live is put where the search looks at the end, all at once: of documents that replace
-- each other only the last one is.
--
-- called by  corpus.publish_tasks, which holds the locks of all of them
-- writes     what corpus.settle_version and corpus.expose_versions write, queue.task
-- raises     as corpus.publish_version

create or replace function corpus.publish_claims(task_ids bigint[], lease_tokens uuid[])
returns table (
    task_id bigint,
    outcome text,
    version_id bigint,
    document_id bigint,
    version integer,
    superseded_documents bigint[],
    failure text
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
#variable_conflict use_column
declare
    _claim record;
    _goes_live boolean;
    _live bigint[] := '{}';
begin
    for _claim in
        select u.task_id, u.lease_token, t.subject_id
        from unnest(publish_claims.task_ids, publish_claims.lease_tokens) as u (task_id, lease_token)
        left join queue.task as t on u.task_id = t.task_id and t.kind = 'publish_version'
        order by t.subject_id
    loop
        task_id := _claim.task_id;
        outcome := 'lost';
        version_id := _claim.subject_id;
        document_id := null;
        version := null;
        superseded_documents := null;
        if exists (
            -- an expired lease that nobody took is good enough
            select from queue.task as t
            where t.task_id = _claim.task_id and t.lease_token = _claim.lease_token
            for update
        ) then
            select s.document_id, s.version, s.superseded_documents, s.goes_live
            into document_id, version, superseded_documents, _goes_live
            from corpus.settle_version(_claim.subject_id) as s;
            if _goes_live then
                _live := _live || _claim.subject_id;
            end if;
            perform queue.finish_task(_claim.task_id, _claim.lease_token);
            outcome := 'published';
        end if;
        return next;
    end loop;
    perform corpus.expose_versions(array(
        select v.version_id
        from corpus.version as v
        where
            v.version_id = any(_live)
            and v.state = 'published'
            -- one that was replaced and brought back meanwhile is there already
            and not exists (
                select
                from corpus.chunk as c
                inner join search.text_index as t on c.chunk_id = t.chunk_id
                where c.version_id = v.version_id
            )
        order by v.version_id
    ));
end;
$func$;

comment on function corpus.publish_claims is
'Publish the versions of claimed tasks and finish the tasks, all or none; who lost a claim publishes nothing.';
