;; The inner loop of scan-json.ts: checks that a text is JSON, and writes it as a JSON string, sixteen bytes of a string at a time.
;; Compiled JavaScript takes four times as long for the same steps (18 KB: 54 instead of 14 us), JSON.stringify() alone as well.
;; scripts/assemble.ts makes WebAssembly of it.
;;
;; Memory, by address:
;;      0  result: 1 if the text is plain (scan-json.ts says what that is), else 0
;;      4  result: the number of long lists
;;      8  result: 1 if all bytes are ASCII and none is DEL, else 0
;;     16  by depth: 1 for an object, 0 for a list (200 levels)
;;    256  result: the long lists, each as first byte of its first item, first byte of its last item, number of items (100 lists)
;;   2048  the text, then a 0, which ends whatever the text does not end itself
;;   then  the JSON string; what is copied in pieces of sixteen bytes may write fifteen too many
;;
;; $state: what may come next. 0: a value. 1: a value or the end of the list. 2: a key. 3: a key or the end of the object.
;; 4: a comma or the end of what is open.
(module
  (memory (export "memory") 1)
  (global $plain (mut i32) (i32.const 1))
  ;; Of the last string or escape that was copied: the place behind it in the text.
  (global $behind (mut i32) (i32.const 0))

  ;; Takes the length of the text and where its JSON string shall begin; returns where that ends, or 0 if the text is not JSON.
  (func (export "scan") (param $length i32) (param $out i32) (result i32)
    (local $at i32) (local $limit i32) (local $byte i32) (local $next i32)
    (local $state i32) (local $depth i32)
    ;; Of the outermost open list: its depth (0: none is open), where its first and its last item begin, how many there are.
    (local $listDepth i32) (local $first i32) (local $last i32) (local $count i32)
    (local $lists i32)

    (global.set $plain (i32.const 1))
    (local.set $at (i32.const 2048))
    (local.set $limit (i32.add (local.get $at) (local.get $length)))
    (i32.store8 (local.get $limit) (i32.const 0))
    (i32.store8 (local.get $out) (i32.const 0x22 (; " ;)))
    (local.set $out (i32.add (local.get $out) (i32.const 1)))

    (block $done
      (loop $more
        (br_if $done (i32.ge_u (local.get $at) (local.get $limit)))
        (local.set $byte (i32.load8_u (local.get $at)))

        (if (i32.le_u (local.get $byte) (i32.const 0x20))
          (then
            (if (i32.eqz (call $isBlank (local.get $byte))) (then (return (i32.const 0))))
            (if (i32.eqz (local.get $depth)) (then (global.set $plain (i32.const 0))))
            (local.set $out (call $copyBlank (local.get $byte) (local.get $out)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (br $more)))

        ;; A string: a value, or a key with its colon.
        (if (i32.and (i32.eq (local.get $byte) (i32.const 0x22 (; " ;))) (i32.ne (local.get $state) (i32.const 4)))
          (then
            (local.set $out (call $copyString (local.get $at) (local.get $out)))
            (if (i32.eqz (local.get $out)) (then (return (i32.const 0))))
            (local.set $at (global.get $behind))
            (if (i32.le_u (local.get $state) (i32.const 1))
              (then
                (local.set $state (i32.const 4))
                (br $more)))
            (local.set $byte (i32.load8_u (local.get $at)))
            (block $blanksEnd
              (loop $blanks
                (br_if $blanksEnd (i32.eqz (call $isBlank (local.get $byte))))
                (local.set $out (call $copyBlank (local.get $byte) (local.get $out)))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (local.set $byte (i32.load8_u (local.get $at)))
                (br $blanks)))
            (if (i32.ne (local.get $byte) (i32.const 0x3a (; : ;))) (then (return (i32.const 0))))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (i32.store8 (local.get $out) (local.get $byte))
            (local.set $out (i32.add (local.get $out) (i32.const 1)))
            (local.set $state (i32.const 0))
            (br $more)))

        ;; What follows a value.
        (if (i32.eq (local.get $state) (i32.const 4))
          (then
            (if (i32.eqz (local.get $depth)) (then (return (i32.const 0))))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (i32.store8 (local.get $out) (local.get $byte))
            (local.set $out (i32.add (local.get $out) (i32.const 1)))
            (if (i32.eq (local.get $byte) (i32.const 0x2c (; , ;)))
              (then
                (if (i32.eq (local.get $depth) (local.get $listDepth))
                  (then
                    (local.set $last (local.get $at))
                    (local.set $count (i32.add (local.get $count) (i32.const 1)))))
                (local.set $state (i32.shl (i32.load8_u offset=16 (local.get $depth)) (i32.const 1)))
                (br $more)))
            ;; 0x7d is }, 0x5d is ].
            (if (i32.ne
                  (local.get $byte)
                  (select (i32.const 0x7d) (i32.const 0x5d) (i32.load8_u offset=16 (local.get $depth))))
              (then (return (i32.const 0))))
            (if (i32.eq (local.get $depth) (local.get $listDepth))
              (then
                (if (i32.and (i32.gt_u (local.get $count) (i32.const 1)) (i32.lt_u (local.get $lists) (i32.const 100)))
                  (then
                    (local.set $next (i32.mul (local.get $lists) (i32.const 12)))
                    (i32.store offset=256 (local.get $next) (i32.sub (local.get $first) (i32.const 2048)))
                    (i32.store offset=260 (local.get $next) (i32.sub (local.get $last) (i32.const 2048)))
                    (i32.store offset=264 (local.get $next) (local.get $count))
                    (local.set $lists (i32.add (local.get $lists) (i32.const 1)))))
                (local.set $listDepth (i32.const 0))))
            (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
            (br $more)))

        ;; The end of an object or a list with nothing in it: in state 3 a }, in state 1 a ].
        (if (i32.eq (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x7d))
          (then
            (if (i32.ne (local.get $state) (select (i32.const 3) (i32.const 1) (i32.and (local.get $byte) (i32.const 0x20))))
              (then (return (i32.const 0))))
            (if (i32.eq (local.get $depth) (local.get $listDepth)) (then (local.set $listDepth (i32.const 0))))
            (i32.store8 (local.get $out) (local.get $byte))
            (local.set $out (i32.add (local.get $out) (i32.const 1)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $depth (i32.sub (local.get $depth) (i32.const 1)))
            (local.set $state (i32.const 4))
            (br $more)))

        ;; Only a value may begin here, and not a key.
        (if (i32.ge_u (local.get $state) (i32.const 2)) (then (return (i32.const 0))))

        ;; The beginning of an object or a list: { is 0x7b, [ is 0x5b.
        (if (i32.eq (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x7b))
          (then
            (local.set $depth (i32.add (local.get $depth) (i32.const 1)))
            (if (i32.gt_u (local.get $depth) (i32.const 200)) (then (return (i32.const 0))))
            (i32.store8 (local.get $out) (local.get $byte))
            (local.set $out (i32.add (local.get $out) (i32.const 1)))
            (local.set $at (i32.add (local.get $at) (i32.const 1)))
            (local.set $next (i32.shr_u (i32.and (local.get $byte) (i32.const 0x20)) (i32.const 5)))
            (i32.store8 offset=16 (local.get $depth) (local.get $next))
            (local.set $state (i32.add (i32.const 1) (i32.shl (local.get $next) (i32.const 1))))
            (if (i32.eqz (i32.or (local.get $next) (local.get $listDepth)))
              (then
                (local.set $listDepth (local.get $depth))
                (local.set $first (local.get $at))
                (local.set $last (local.get $at))
                (local.set $count (i32.const 1))))
            (br $more)))

        ;; A number, true, false or null.
        (local.set $next (call $scalarEnd (local.get $at) (local.get $byte)))
        (if (i32.eqz (local.get $next)) (then (return (i32.const 0))))
        (loop $copy
          (v128.store (local.get $out) (v128.load (local.get $at)))
          (local.set $out (i32.add (local.get $out) (i32.const 16)))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $copy (i32.lt_u (local.get $at) (local.get $next))))
        (local.set $out (i32.sub (local.get $out) (i32.sub (local.get $at) (local.get $next))))
        (local.set $at (local.get $next))
        (local.set $state (i32.const 4))
        (br $more)))

    (if (i32.or (local.get $depth) (i32.ne (local.get $state) (i32.const 4))) (then (return (i32.const 0))))
    (i32.store8 (local.get $out) (i32.const 0x22 (; " ;)))
    (i32.store (i32.const 0) (global.get $plain))
    (i32.store (i32.const 4) (local.get $lists))
    (i32.store (i32.const 8) (call $isSimple (local.get $limit)))
    (i32.add (local.get $out) (i32.const 1)))

  ;; Copies the string whose quote is at $at, and escapes its quotes and backslashes. Returns where the next byte goes, or 0.
  (func $copyString (param $at i32) (param $out i32) (result i32)
    (local $piece v128) (local $stops i32)
    (i32.store16 (local.get $out) (i32.const 0x225c (; \" ;)))
    (local.set $out (i32.add (local.get $out) (i32.const 2)))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (loop $pieces
      (local.set $piece (v128.load (local.get $at)))
      (v128.store (local.get $out) (local.get $piece))
      ;; A bit for each quote, backslash and control character.
      (local.set $stops
        (i8x16.bitmask
          (v128.or
            (v128.or
              (i8x16.eq (local.get $piece) (i8x16.splat (i32.const 0x22)))
              (i8x16.eq (local.get $piece) (i8x16.splat (i32.const 0x5c))))
            (i8x16.lt_u (local.get $piece) (i8x16.splat (i32.const 0x20))))))
      (if (i32.eqz (local.get $stops))
        (then
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $out (i32.add (local.get $out) (i32.const 16)))
          (br $pieces)))
      (local.set $stops (i32.ctz (local.get $stops)))
      (local.set $at (i32.add (local.get $at) (local.get $stops)))
      (local.set $out (i32.add (local.get $out) (local.get $stops)))
      (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x22))
        (then
          (local.set $out (call $copyEscape (local.get $at) (local.get $out)))
          (if (i32.eqz (local.get $out)) (then (return (i32.const 0))))
          (local.set $at (global.get $behind))
          (br $pieces))))
    (global.set $behind (i32.add (local.get $at) (i32.const 1)))
    (i32.store16 (local.get $out) (i32.const 0x225c (; \" ;)))
    (i32.add (local.get $out) (i32.const 2)))

  ;; Copies the escape at $at with its backslashes and its quote escaped. Returns where the next byte goes, or 0 if it is none.
  (func $copyEscape (param $at i32) (param $out i32) (result i32)
    (local $kind i32) (local $digit i32)
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x5c)) (then (return (i32.const 0))))
    (local.set $kind (i32.load8_u offset=1 (local.get $at)))
    ;; \u and \/ usually escape characters that need no escape. After another backslash they are no escapes, but count as such here.
    (local.set $digit (select (i32.load8_u offset=2 (local.get $at)) (local.get $kind) (i32.eq (local.get $kind) (i32.const 0x5c))))
    (if (i32.or (i32.eq (local.get $digit) (i32.const 0x75 (; u ;))) (i32.eq (local.get $digit) (i32.const 0x2f (; / ;))))
      (then (global.set $plain (i32.const 0))))
    (i32.store16 (local.get $out) (i32.const 0x5c5c (; \\ ;)))
    (if (i32.eq (local.get $kind) (i32.const 0x75 (; u ;)))
      (then
        (global.set $behind (i32.add (local.get $at) (i32.const 6)))
        (i32.store8 offset=2 (local.get $out) (local.get $kind))
        (i32.store offset=3 (local.get $out) (i32.load offset=2 (local.get $at)))
        (local.set $at (i32.add (local.get $at) (i32.const 2)))
        (loop $digits
          (local.set $digit (i32.load8_u (local.get $at)))
          (if (i32.eqz
                (i32.or
                  (call $isDigit (local.get $digit))
                  (i32.lt_u
                    (i32.sub (i32.or (local.get $digit) (i32.const 0x20)) (i32.const 0x61 (; a ;)))
                    (i32.const 6))))
            (then (return (i32.const 0))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br_if $digits (i32.lt_u (local.get $at) (global.get $behind))))
        (return (i32.add (local.get $out) (i32.const 7)))))
    (global.set $behind (i32.add (local.get $at) (i32.const 2)))
    (if (i32.or (i32.eq (local.get $kind) (i32.const 0x22)) (i32.eq (local.get $kind) (i32.const 0x5c)))
      (then
        (i32.store8 offset=2 (local.get $out) (i32.const 0x5c))
        (i32.store8 offset=3 (local.get $out) (local.get $kind))
        (return (i32.add (local.get $out) (i32.const 4)))))
    (i32.store8 offset=2 (local.get $out) (local.get $kind))
    (if (result i32)
      (i32.or
        (i32.or
          (i32.or (i32.eq (local.get $kind) (i32.const 0x2f (; / ;))) (i32.eq (local.get $kind) (i32.const 0x62 (; b ;))))
          (i32.or (i32.eq (local.get $kind) (i32.const 0x66 (; f ;))) (i32.eq (local.get $kind) (i32.const 0x6e (; n ;)))))
        (i32.or (i32.eq (local.get $kind) (i32.const 0x72 (; r ;))) (i32.eq (local.get $kind) (i32.const 0x74 (; t ;)))))
      (then (i32.add (local.get $out) (i32.const 3)))
      (else (i32.const 0))))

  ;; Where the number or the word at $at ends, which begins with $byte; 0 if it is neither.
  (func $scalarEnd (param $at i32) (param $byte i32) (result i32)
    (if (i32.or (i32.eq (local.get $byte) (i32.const 0x2d (; - ;))) (call $isDigit (local.get $byte)))
      (then (return (call $numberEnd (local.get $at) (local.get $byte)))))
    (local.set $byte (i32.load (local.get $at)))
    (if (i32.or
          (i32.eq (local.get $byte) (i32.const 0x65757274 (; true ;)))
          (i32.eq (local.get $byte) (i32.const 0x6c6c756e (; null ;))))
      (then (return (i32.add (local.get $at) (i32.const 4)))))
    (if (i32.and
          (i32.eq (local.get $byte) (i32.const 0x736c6166 (; fals ;)))
          (i32.eq (i32.load8_u offset=4 (local.get $at)) (i32.const 0x65 (; e ;))))
      (then (return (i32.add (local.get $at) (i32.const 5)))))
    (i32.const 0))

  (func $numberEnd (param $at i32) (param $byte i32) (result i32)
    (if (i32.eq (local.get $byte) (i32.const 0x2d (; - ;)))
      (then (local.set $at (i32.add (local.get $at) (i32.const 1)))))
    ;; A zero stands alone before the point.
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x30))
      (then (local.set $at (i32.add (local.get $at) (i32.const 1))))
      (else
        (local.set $at (call $digitsEnd (local.get $at)))
        (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))))
    (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x2e (; . ;)))
      (then
        (local.set $at (call $digitsEnd (i32.add (local.get $at) (i32.const 1))))
        (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))))
    (if (i32.eq (i32.or (i32.load8_u (local.get $at)) (i32.const 0x20)) (i32.const 0x65 (; e, E ;)))
      (then
        (local.set $byte (i32.load8_u offset=1 (local.get $at)))
        (return
          (call $digitsEnd
            (i32.add
              (local.get $at)
              (select
                (i32.const 2)
                (i32.const 1)
                (i32.or (i32.eq (local.get $byte) (i32.const 0x2b (; + ;))) (i32.eq (local.get $byte) (i32.const 0x2d (; - ;))))))))))
    (local.get $at))

  ;; Behind the digits at $at, or 0 if there is none.
  (func $digitsEnd (param $at i32) (result i32)
    (local $from i32)
    (local.set $from (local.get $at))
    (block $done
      (loop $digits
        (br_if $done (i32.eqz (call $isDigit (i32.load8_u (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $digits)))
    (select (local.get $at) (i32.const 0) (i32.ne (local.get $at) (local.get $from))))

  (func $isDigit (param $byte i32) (result i32)
    (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x30)) (i32.const 10)))

  (func $isBlank (param $byte i32) (result i32)
    (i32.or
      (i32.or (i32.eq (local.get $byte) (i32.const 0x20)) (i32.eq (local.get $byte) (i32.const 0x0a)))
      (i32.or (i32.eq (local.get $byte) (i32.const 0x0d)) (i32.eq (local.get $byte) (i32.const 0x09)))))

  ;; Copies a blank between two tokens, escaped where a string must escape it. Returns where the next byte goes.
  (func $copyBlank (param $byte i32) (param $out i32) (result i32)
    (if (i32.eq (local.get $byte) (i32.const 0x20))
      (then
        (i32.store8 (local.get $out) (local.get $byte))
        (return (i32.add (local.get $out) (i32.const 1)))))
    (if (i32.eq (local.get $byte) (i32.const 0x0a)) (then (global.set $plain (i32.const 0))))
    (i32.store8 (local.get $out) (i32.const 0x5c))
    (i32.store8 offset=1
      (local.get $out)
      (select
        (i32.const 0x6e (; n ;))
        (select (i32.const 0x72 (; r ;)) (i32.const 0x74 (; t ;)) (i32.eq (local.get $byte) (i32.const 0x0d)))
        (i32.eq (local.get $byte) (i32.const 0x0a))))
    (i32.add (local.get $out) (i32.const 2)))

  ;; Whether all bytes of the text up to $limit are below 0x7f. What stands behind it is overwritten with zeros for that.
  (func $isSimple (param $limit i32) (result i32)
    (local $at i32) (local $others v128)
    (v128.store (local.get $limit) (v128.const i64x2 0 0))
    (local.set $at (i32.const 2048))
    (loop $pieces
      (local.set $others
        (v128.or (local.get $others) (i8x16.ge_u (v128.load (local.get $at)) (i8x16.splat (i32.const 0x7f)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $pieces (i32.lt_u (local.get $at) (local.get $limit))))
    (i32.eqz (v128.any_true (local.get $others)))))
