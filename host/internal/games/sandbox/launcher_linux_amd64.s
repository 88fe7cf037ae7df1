#include "textflag.h"

// func launcher() (code unsafe.Pointer)
TEXT ·launcher(SB), NOSPLIT, $0-8
	LEAQ	launch<>(SB), AX
	MOVQ	AX, code+0(FP)
	RET

// launch is the launcher. It has no runtime, uses no memory but that of its order, and ends
// with the mark that image looks for. The layout of an order is that of encode.
TEXT launch<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ	$0x60001000, BX // orderAddress
	MOVQ	0(BX), R12      // the first call
	MOVQ	8(BX), R13      // the end of the last one, which is execve
	MOVQ	0(SP), AX       // the system puts argc, argv and envp here
	LEAQ	8(SP), CX
	LEAQ	16(SP)(AX*8), DX
	MOVQ	CX, -64(R13)
	MOVQ	DX, -56(R13)

call:
	MOVQ	0(R12), AX
	MOVQ	8(R12), DI
	MOVQ	16(R12), SI
	MOVQ	24(R12), DX
	MOVQ	32(R12), R10
	MOVQ	40(R12), R8
	MOVQ	48(R12), R9
	SYSCALL
	CMPQ	AX, $-4095
	JCC	failed
	MOVQ	56(R12), CX // where the result goes
	TESTQ	CX, CX
	JZ	next
	MOVL	AX, 0(CX)

next:
	ADDQ	$80, R12
	JMP	call

failed:
	MOVQ	72(R12), DX // the length of the text; 0: the error does not matter
	TESTQ	DX, DX
	JZ	next
	NEGQ	AX
	CMPQ	AX, 24(BX)  // the number of texts of errors
	JCS	known
	XORL	AX, AX

known:
	SHLQ	$4, AX
	ADDQ	16(BX), AX
	MOVQ	AX, R14
	MOVL	$1, AX // write
	MOVL	$2, DI
	MOVQ	64(R12), SI
	SYSCALL
	MOVL	$1, AX
	MOVL	$2, DI
	MOVQ	0(R14), SI
	MOVQ	8(R14), DX
	SYSCALL
	MOVL	$231, AX // exit_group
	MOVL	$1, DI
	SYSCALL
	BYTE	$0x0f; BYTE $0x0b // UD2
	LONG	$0x65646f63; LONG $0x646e655f // the mark
