-- chat.standalone_question
-- What to search for when a question may lean on those asked before it (oldest first): itself, or the last one that stood alone followed by it.
--
-- A question leans when it begins like an addition, points at something it does not name, or is
-- three words or fewer; a long one stands alone. What it leans on is put before it unless it names
-- topics of its own: then only if the earlier one is about nothing else. So no word of another
-- topic is ever pulled in; at worst a question is searched for in its own words.
-- He and she are the child, who is the same in every question, and tell a search nothing.
--
-- called by  chat.context_of

create or replace function chat.standalone_question(question text, earlier text[])
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $func$
declare
    _addition constant text :=
        '^(and|but|so|or|then|also|why|ok|okay|yes|no|same|even|what about|how about|what if|'
        'how so|what else|anything else|who else|in that case|if so|if not)\y';
    _pointing constant text :=
        '\y(it|its|that|this|those|these|they|them|their|theirs|one|ones|either|both|instead|'
        'otherwise|same)\y';
    _longest constant integer := 12;
    -- characters of the earlier one: a model reads no more than 1000 of both
    _most constant integer := 500;
    _question text := btrim(standalone_question.question);
    _said text;
    _folded text;
    _words integer;
    _last text;
    _last_topics text[];
    _leans boolean;
    _topics text[];
begin
    foreach _said in array coalesce(standalone_question.earlier, '{}') || _question loop
        _folded := btrim(lower(terms.fold_text(_said)));
        _words := coalesce(array_length(regexp_split_to_array(_folded, '\s+'), 1), 0);
        _leans := _words <= 3
            or _words <= _longest and (_folded ~ _addition or _folded ~ _pointing);
        _topics := coalesce(terms.topics_for(question => _said), '{}');
        if _last is null or not _leans
            or _topics <> '{}' and (_last_topics = '{}' or not _last_topics <@ _topics)
        then
            _leans := false;
            _last := btrim(_said);
            _last_topics := _topics;
        end if;
    end loop;
    return case when _leans then left(_last, _most) || ' ' || _question else _question end;
end;
$func$;

comment on function chat.standalone_question is
'What to search for when a question may lean on those asked before it (oldest first): itself, or the last one that stood alone followed by it.';
