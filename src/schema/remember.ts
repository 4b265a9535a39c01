// What was found out about a schema is remembered by the object, for as long as that lives.

export function rememberByObject<K extends object, V>(find: (key: K) => V): (key: K) => V {
  const answers = new WeakMap<K, V>();
  return (key) => {
    const earlier = answers.get(key);
    if (earlier !== undefined) return earlier;
    const answer = find(key);
    answers.set(key, answer);
    return answer;
  };
}
